import { entropy, isPlaceholder } from './placeholders.ts'
import { rank, type Span } from './rule.ts'

/**
 * From the end of a name to the start of its value: the rest of the name, a closing quote or bracket, an
 * operator of some language, opening quotes. Bounded everywhere, so that one try costs a constant.
 */
const link =
  /[ \t\w.-]{0,24}?[\s"'`\])\\]{0,4}(?::[ \t]{0,2}[A-Za-z][\w<>[\]|?.]{0,30}[ \t]{0,2}=|={1,3}>?|:{1,3}=|[?.|+]{1,2}=|\|{2}|->|[:>]|[,(](?=[ \t]{0,4}["'`]))[ \t]{0,40}(?:\r?\n[ \t]{1,40})?(?:[a-z]{0,2}\\?["'`]|==?)?/iy

/** Where the value of the name that ends at `nameEnd` starts, or -1. */
export function valueStart(text: string, nameEnd: number): number {
  link.lastIndex = nameEnd
  return link.test(text) ? link.lastIndex : -1
}

const quoted = /[^"'`\s\\<>]{6,200}(?=\\?["'`])/y
const bare = /[A-Za-z0-9_+/.~!@#%^*=$&-]{8,400}(?=[\s"'`;,)\]}\\<]|$)/y

/** A value after a name that says "secret": a secret if it looks random enough. */
export function assignedSecret(text: string, start: number, kind: string): Span | undefined {
  const opener = text[start - 1]
  const pattern = opener === '"' || opener === "'" || opener === '`' ? quoted : bare
  pattern.lastIndex = start
  const value = pattern.exec(text)?.[0].replace(/[;,.]+$/, '')
  if (value === undefined || isPlaceholder(value)) return undefined
  const random = kind === 'password' ? looksLikePassword(value) : looksRandom(value)
  return random ? { start, end: start + value.length, kind, rank: rank.assigned } : undefined
}

/** Code that merely speaks of a secret: a member access, a path, a call, a word. */
const codeLike =
  /^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$|^[./~]|:\/\/|\(|^[A-Za-z]+$|^[a-z]+(?:[-_.][a-z]+)+$/

function looksRandom(value: string): boolean {
  if (value.length < 10 || codeLike.test(value)) return false
  return /\d/.test(value) && entropy(value) >= Math.min(3.2, Math.log2(value.length) - 0.5)
}

function looksLikePassword(value: string): boolean {
  if (value.length < 6 || codeLike.test(value)) return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropy(value) >= 2.2
}
