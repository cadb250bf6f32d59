/** The texts of these pages, in English. */

// Inbox page
export const inbox = 'Inbox'
export const inboxLead = 'What others did that concerns you.'
export const markAllAsRead = 'Mark all as read'
export const inboxHint =
  'Here you read when somebody invites you, says something about your cards or mentions you.'
export const nothingHere = 'Nothing here'
export const notices = 'Notices'
export const newLabel = 'New'
export const openTheQueue = 'Open the queue'
export const openMyTickets = 'Open my tickets'
export const openTheDrafts = 'Open the drafts'
export const openTheCard = 'Open the card'
export const notAMember = 'You are not a member'
export const openLabel = 'Open'
export const youLeft = 'You left the workspace.'
export const leave = 'Leave'
export const youAreAMember = 'You are a member now.'
export const invitationDeclined = 'Invitation declined.'
export const accept = 'Accept'
export const decline = 'Decline'
