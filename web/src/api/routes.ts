import * as account from './account.ts'

/** Every call the app makes; a test holds this list against /openapi.json. */
export const calls = { ...account }
