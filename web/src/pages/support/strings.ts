/** The texts of these pages, in English. */

// Chat
export const exampleConnect = 'How do I connect Claude Code?'
export const exampleCredits = 'When does a search cost credits?'
export const exampleMemory = 'Who can read my agent’s memory?'
export const askInYourWords = 'Ask in your own words. For example:'
export const conversation = 'Conversation'
export const askAgainOrWrite = ' Ask again, or write to us.'
export const orWrite = ' Or write to us.'
export const yourQuestion = 'Your question'
export const stop = 'Stop'
export const ask = 'Ask'
export const notWhatYouNeeded = 'Not what you needed?'
export const writeToAPerson = 'Write to a person'
export const you = 'You'
export const support = 'Support'
export const stopped = 'Stopped.'
export const sources = 'Sources'
export const answerBrokeOff = 'The answer broke off.'
export const answerHasNoBody = 'The answer has no body.'

// Support page
export const supportLead = 'Answers come from the guide. A person answers tickets.'
export const allTickets = 'All tickets'
export const noTicketsHint = 'Your tickets appear here, with the answers.'
export const noTicketsYet = 'No tickets yet'
export const myTickets = 'My tickets'
export const oneReply = '1 reply'
export const openLabel = 'Open'
export const closed = 'Closed'
export const help = 'Help'
export const knowledgeVault = 'Knowledge Vault'
export const writeToUs = 'Write to us'
export const aQuestion = 'A question'
export const somethingDoesNotWork = 'Something does not work'
export const billing = 'Billing'
export const myAccount = 'My account'
export const somethingElse = 'Something else'
export const yourEmailAddress = 'Your e-mail address'
export const about = 'About'
export const subject = 'Subject'
export const message = 'Message'
export const messageHint =
  'What you did, what happened, what you expected. A request id helps; secrets do not.'
export const attachAgain = (files: string) => `Attach these files again: ${files}.`
export const send = 'Send'
export const attachFiles = 'Attach files'
export const attachmentLimit = 'Up to 5 files of 10 MB.'
export const attachments = 'Attachments'
export const removeFile = (name: string) => `Remove ${name}`
export const messageReceived = 'We have your message'
export const personAnswers = (email: string) =>
  `A person answers to ${email}. Quote this number if you write again:`
export const copyTicketNumber = 'Copy ticket number'
export const writeAnother = 'Write another'

// Ticket page
export const closedNotice = 'Closed.'
export const supportTickets = 'Support tickets'
export const answerByMail = 'Answer by mail'
export const closeLabel = 'Close'
export const noMailToAuthor =
  'This server sends no mail, and the author has no account. “Answer by mail” opens your own mail program.'
export const openWithCare = 'Sent by somebody you may not know: open them with care.'
export const replies = 'Replies'
export const sentToAuthor = 'Sent to the author.'
export const sent = 'Sent.'
export const yourReply = 'Your reply'
export const replyReopens = 'A reply opens the ticket again.'
export const sendReply = 'Send reply'

// Tickets page
export const ticketsLead =
  'What people wrote to this server: higher plans first, then the newest. Authors get answers by e-mail and in the app.'
export const state = 'State'
export const ticketsHint = 'Tickets come from the page Support, also from people who cannot sign in.'
export const nothingIsWaiting = 'Nothing is waiting'
export const noClosedTickets = 'No closed tickets yet'

// Tickets
export const tooManyFiles = (max: number, tooMany: number) => `At most ${max} files. Remove ${tooMany}.`
export const fileTooLarge = (name: string) => `${name} is larger than 10 MB.`
