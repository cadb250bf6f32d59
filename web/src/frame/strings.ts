/** The texts of these pages, in English. */

// App frame
export const skipToContent = 'Skip to content'
export const vault = 'Vault'
export const jumpTo = 'Jump to'
export const main = 'Main'
export const newCard = 'New card'
export const serverUnreachable =
  'The server cannot be reached. What is on the page stays, and everything goes on when it is back.'
export const draftsWaiting = 'waiting'
export const noticesUnread = 'unread'

// Command palette
export const commandPalette = 'Command palette'
export const palettePlaceholder = 'Go to, create, find a card'
export const nothingByThatName = 'Nothing by that name.'
export const create = 'Create'
export const goTo = 'Go to'
export const view = 'View'
export const switchTheme = 'Switch between light and dark'
export const keyboardShortcuts = 'Keyboard shortcuts'
export const search = 'Search'
export const searchForTyped = (typed: string) => `Search for “${typed}”`
export const workspaces = 'Workspaces'
export const yourSearches = 'Your searches'

// Error pages
export const noPageHint = 'The link may be old, or a part of it is missing.'
export const noPageTitle = 'No page at this address'
export const goHome = 'Go to Home'

// Keyboard help
export const keyboard = 'Keyboard'

// Nav
export const home = 'Home'
export const cards = 'Cards'
export const library = 'Library'
export const insights = 'Insights'
export const memory = 'Memory'
export const team = 'Team'
export const connectYourAgent = 'Connect your agent'
export const inbox = 'Inbox'
export const drafts = 'Drafts'
export const billing = 'Billing'
export const settings = 'Settings'
export const guide = 'Guide'
export const support = 'Support'

// User menu
export const asTheSystem = 'As the system'
export const light = 'Light'
export const dark = 'Dark'
export const accountBefore = 'Account '
export const moderation = 'Moderation'
export const signOut = 'Sign out'
