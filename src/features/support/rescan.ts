import { textsToRescan } from '../redaction/rescan.ts'

export const ticketsToRescan = textsToRescan('support tickets', 'support_tickets', 'ticket_id', [
  'subject',
  'message',
])

export const repliesToRescan = textsToRescan('ticket replies', 'support_replies', 'reply_id', ['message'])
