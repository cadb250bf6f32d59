import { textsToRescan } from '../../redaction/rescan.ts'

export const appsToRescan = textsToRescan('registered apps', 'oauth_clients', 'client_id', ['name', 'uri'])
