export type SupportTables = {
  support_tickets: SupportTicketsTable
  support_attachments: SupportAttachmentsTable
}

export type SupportTicketsTable = {
  ticket_id: string
  user_id: string | null
  email: string
  subject: string
  message: string
  category: string
  status: 'open' | 'closed'
  created_at: string
  closed_at: string | null
  closed_by: string | null
}

/** The file is DATA_DIR/tickets/<ticket_id>/<attachment_id>; the sender's name for it is only shown. */
export type SupportAttachmentsTable = {
  attachment_id: string
  ticket_id: string
  position: number
  file_name: string
  media_type: string
  size_bytes: number
}
