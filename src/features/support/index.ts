export { dropOldConversations, resealConversations, streamSupportChat, supportChat } from './chat.ts'
export { listMyTickets, replyToTicket } from './replies.ts'
export { createTicket, dropOldAttachments, readAttachment } from './ticket-routes.ts'
export { closeTicket, dropOrphanedUploads, getTicket, listTickets } from './tickets.ts'
