import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const LONGEST_NAME = 150
const LONGEST_ID = 200

function hashOf(text: string): string {
  const { createHash }: typeof import('node:crypto') = require('node:crypto')
  return `h${createHash('sha256').update(text).digest('hex')}`
}

/**
 * A file name for a text that others chose, such as a session id or a folder. The text itself is never part of a path. A hash
 * is made for long texts only, because loading node:crypto takes a tenth of a hook's time.
 */
export function fileNameFor(text: string): string {
  const name = Buffer.from(text).toString('base64url')
  return name.length <= LONGEST_NAME ? `t${name}` : hashOf(text)
}

/** The id of a session as the vault takes it: it refuses a longer one, and one with control characters. */
export const storableId = (id: string): string =>
  id.length <= LONGEST_ID && !/\p{Cc}/u.test(id) && id.isWellFormed() ? id : hashOf(id)
