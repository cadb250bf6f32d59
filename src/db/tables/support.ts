export type SupportTables = {
  support_tickets: SupportTicketsTable
  support_attachments: SupportAttachmentsTable
  support_replies: SupportRepliesTable
  support_conversations: SupportConversationsTable
}

export type SupportTicketsTable = {
  ticket_id: string
  user_id: string | null
  email: string
  subject: string
  message: string
  category: string
  /** The plan of the author when the ticket was opened; null where nobody was signed in. */
  plan: string | null
  status: 'open' | 'closed'
  created_at: string
  closed_at: string | null
  /** Read by nobody here: the audit log shows the same, as the actor of `ticket.closed`. */
  closed_by: string | null
}

/** What was said after the ticket was opened, by its author or by an administrator. */
export type SupportRepliesTable = {
  reply_id: string
  ticket_id: string
  /** For an operator who has to know which administrator answered; people only see `from_support`. */
  author_id: string | null
  from_support: 0 | 1
  message: string
  created_at: string
}

/** What was said lately in the support chat. Without the id, nobody can find or read it. */
export type SupportConversationsTable = {
  conversation_hash: string
  user_id: string | null
  /** The messages of a conversation; the column is older than the word. */
  sealed_turns: string
  updated_at: string
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
