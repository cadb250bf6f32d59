import { textsToRescan } from '../redaction/rescan.ts'

export const codesToRescan = textsToRescan('invite codes', 'billing_invites', 'invite_id', ['note'])
