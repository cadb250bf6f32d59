import { textsToRescan } from '../redaction/rescan.ts'

export const ticketsToRescan = textsToRescan('support tickets', 'support_tickets', 'ticket_id', [
  'subject',
  'message',
  'category',
])

export const repliesToRescan = textsToRescan('ticket replies', 'support_replies', 'reply_id', ['message'])

export const attachmentsToRescan = textsToRescan('attachments', 'support_attachments', 'attachment_id', [
  'file_name',
])
