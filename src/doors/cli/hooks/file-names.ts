import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const LONGEST_NAME = 150

/**
 * A name for a file from a text that somebody else has chosen: a session, a folder. It is never part of a path as it is. A hash
 * is made only of long texts, as to load node:crypto takes a tenth of a hook's time.
 */
export function fileNameFor(text: string): string {
  const name = Buffer.from(text).toString('base64url')
  if (name.length <= LONGEST_NAME) return `t${name}`
  const { createHash }: typeof import('node:crypto') = require('node:crypto')
  return `h${createHash('sha256').update(text).digest('hex')}`
}
