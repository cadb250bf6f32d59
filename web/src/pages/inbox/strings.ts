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
export const notAMember = 'You are not a member'
export const youLeft = 'You left the workspace.'
export const leave = 'Leave'
export const youAreAMember = 'You are a member now.'
export const invitationDeclined = 'Invitation declined.'
export const accept = 'Accept'
export const decline = 'Decline'
export const cardsWorkedFor = (cards: number, person: string, day: string) =>
  `${cards} of your cards worked for ${person} ${day}`
export const somebody = 'somebody'
export const today = 'today'
export const onDay = (day: string) => `on ${day}`
