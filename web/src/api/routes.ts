import * as account from './account.ts'
import * as settings from './settings.ts'
import * as support from './support.ts'

/** Every call the app makes; a test holds this list against /openapi.json. */
export const calls = { ...account, ...settings, ...support }
