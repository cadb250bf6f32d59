import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const LONGEST_NAME = 150

/**
 * A file name for a text that others chose, such as a session id or a folder. The text itself is never part of a path. A hash
 * is made for long texts only, because loading node:crypto takes a tenth of a hook's time.
 */
export function fileNameFor(text: string): string {
  const name = Buffer.from(text).toString('base64url')
  if (name.length <= LONGEST_NAME) return `t${name}`
  const { createHash }: typeof import('node:crypto') = require('node:crypto')
  return `h${createHash('sha256').update(text).digest('hex')}`
}
