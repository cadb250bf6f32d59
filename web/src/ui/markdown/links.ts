/** Addresses in a text: which are links, where they end, and which may be followed. */

const MAX_ADDRESS = 2000
const MAX_PARENTHESES = 32
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const SAFE_SCHEME = /^(?:https?|mailto):/i
const BARE = /^(?:https?:\/\/|www\.)[^\s<]+/i
const MAIL = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}$/

/** Undefined for a scheme that could execute something. Control characters and blanks, which can hide one, are dropped. */
export function safeAddress(address: string): string | undefined {
  const bare = address.replace(/[\p{C}\s]/gu, '').replaceAll('&amp;', '&')
  return SCHEME.test(bare) && !SAFE_SCHEME.test(bare) ? undefined : bare
}

/** After `]`: `(address "title")`, and where it ends. */
export function linkEnd(text: string, from: number): { address: string; at: number } | undefined {
  if (text.charAt(from) !== '(') return undefined
  const limit = Math.min(text.length, from + MAX_ADDRESS)
  let at = from + 1
  while (at < limit && /[ \n]/.test(text.charAt(at))) at++
  const start = at
  if (text.charAt(at) === '<') {
    const end = text.slice(at, limit).search(/[>\n]/)
    if (end < 0 || text.charAt(at + end) !== '>') return undefined
    return closing(text, at + end + 1, text.slice(at + 1, at + end))
  }
  for (let depth = 0; at < limit; at++) {
    const character = text.charAt(at)
    if (/\s/.test(character)) break
    if (character === '(' && ++depth > MAX_PARENTHESES) return undefined
    if (character === ')' && --depth < 0) break
  }
  return at < limit ? closing(text, at, text.slice(start, at)) : undefined
}

const TITLE = /^\s*(?:(?:"[^"\n]{0,500}"|'[^'\n]{0,500}')\s*)?\)/

function closing(text: string, at: number, address: string): { address: string; at: number } | undefined {
  const end = TITLE.exec(text.slice(at, at + 600))
  return end ? { address, at: at + end[0].length } : undefined
}

/** Marks at the end of a sentence are not part of the address, nor is a bracket that was opened before it. */
function trimmed(address: string): string {
  let end = address.length
  let open = 0
  for (const character of address) open += character === '(' ? 1 : character === ')' ? -1 : 0
  for (; end > 0; end--) {
    const last = address.charAt(end - 1)
    if (last === ')' && open < 0) open++
    else if (!'?!.,:;*_~\'"`]'.includes(last)) break
  }
  return address.slice(0, end)
}

/** `<https://…>`, `<name@host>`, or an address that stands by itself. */
export function autolinkAt(
  text: string,
  at: number,
): { href: string | undefined; shown: string; end: number } | undefined {
  if (text.charAt(at) === '<') {
    const end = text.slice(at, at + MAX_ADDRESS).search(/[>\s]/)
    const inside = end > 1 && text.charAt(at + end) === '>' ? text.slice(at + 1, at + end) : ''
    if (SAFE_SCHEME.test(inside)) return { href: safeAddress(inside), shown: inside, end: at + end + 1 }
    return MAIL.test(inside) ? { href: `mailto:${inside}`, shown: inside, end: at + end + 1 } : undefined
  }
  if (/[\w/]/.test(text.charAt(at - 1))) return undefined
  const found = BARE.exec(text.slice(at, at + MAX_ADDRESS))
  const shown = found && trimmed(found[0])
  if (!shown || shown.length < 5) return undefined
  return { href: safeAddress(/^w/i.test(shown) ? `https://${shown}` : shown), shown, end: at + shown.length }
}
