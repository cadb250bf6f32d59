import { textsToRescan } from '../../redaction/rescan.ts'

export const peopleToRescan = textsToRescan('people', 'users', 'user_id', ['display_name'], ['onboarding'])
