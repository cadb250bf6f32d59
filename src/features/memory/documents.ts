/** Facts and preferences are documents of lines, one item each. */

const BULLET = /^(?:[-*•]|\d{1,3}[.)])\s+/

export function itemsOf(document: string): string[] {
  const items = document
    .split('\n')
    .map((line) => line.trim().replace(BULLET, '').trim())
    .filter((line) => line !== '')
  return [...new Set(items)]
}

export function documentOf(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

/** Control characters are not stored: of an item that has nothing else, an empty line would be left. */
const SAID = /[^\s\p{Cc}]/u

/** A caller may send a text, or a list whose items become one `- ` line each. */
export function documentFrom(given: string | readonly string[]): string {
  if (typeof given === 'string') return given
  return documentOf(given.map(onOneLine).filter((item) => SAID.test(item)))
}

/** Models send lists with and without bullets. A number may be part of the item, so it stays. */
const MARK = /^[-*•]\s+/

/** Splits the text, because a pattern for space around line ends would take minutes over a hundred thousand tabs. */
const onOneLine = (item: string): string =>
  item
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
    .replace(MARK, '')

/** The item that a caller means, whether they write it as it was sent or as the document shows it. */
export const itemNamed = (items: ReadonlySet<string>, named: string): string | undefined =>
  [named.trim(), onOneLine(named), itemsOf(named)[0]].find((item) => item !== undefined && items.has(item))

export type Merge = { items: string[]; copied: number; skipped: number }

/** The target keeps its order; new items come after it. */
export function mergeItems(target: readonly string[], added: readonly string[]): Merge {
  const present = new Set(target)
  const fresh = added.filter((item) => !present.has(item))
  return { items: [...target, ...fresh], copied: fresh.length, skipped: added.length - fresh.length }
}
