import * as account from './account.ts'
import * as cards from './cards.ts'
import * as search from './search.ts'
import * as settings from './settings.ts'
import * as support from './support.ts'
import * as workspaces from './workspaces.ts'

/** Every call the app makes; a test holds this list against /openapi.json. */
export const calls = { ...account, ...cards, ...search, ...settings, ...support, ...workspaces }
