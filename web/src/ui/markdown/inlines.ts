const MAX_ADDRESS = 2000
const MAX_PARENTHESES = 32
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const SAFE_SCHEME = /^(?:https?|mailto):/i
const BARE = /^(?:https?:\/\/|www\.)[^\s<]+/i
const MAIL = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}$/

/**
 * Returns undefined for a scheme that could execute something. Control characters and blanks, which can
 * hide one, are dropped.
 */
export function safeAddress(address: string): string | undefined {
  const bare = address.replace(/[\p{C}\s]/gu, '').replaceAll('&amp;', '&')
  return SCHEME.test(bare) && !SAFE_SCHEME.test(bare) ? undefined : bare
}

function linkEnd(text: string, from: number): { address: string; at: number } | undefined {
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

/** Drops punctuation at the end of a sentence, and a bracket that was opened before the address. */
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

function autolinkAt(
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

export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'em' | 'strong' | 'del'; children: Inline[] }
  | { kind: 'link'; href: string; children: Inline[] }
  | { kind: 'image'; src: string; alt: string }
  | { kind: 'break' }

type Run = { mark: string; count: number; opens: boolean; closes: boolean }
type Node = { inline: Inline } | { run: Run }
type Bracket = { at: number; isImage: boolean; active: boolean; textFrom: number }

const PUNCTUATION = /[!-/:-@[-`{-~\p{P}\p{S}]/u
const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}
const ENTITY = /^&(?:amp|lt|gt|quot|#39|nbsp);/
/** An underscore is text, since it belongs to names such as `__init__.py`; stars emphasise. */
const PLAIN = /[^\\`*~[\]!<&\nhHwW]+/y

type TickRuns = { starts: number[]; next: number }

/** More open brackets or emphasis than this are text. */
const MAX_OPEN = 60

/** Runs of back ticks by their length: each code span finds its end without a search. */
function tickRuns(text: string): Map<number, TickRuns> {
  const runs = new Map<number, TickRuns>()
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = runs.get(run.length)
    if (known) known.starts.push(index)
    else runs.set(run.length, { starts: [index], next: 0 })
  }
  return runs
}

class Scanner {
  readonly text: string
  readonly nodes: Node[] = []
  readonly brackets: Bracket[] = []
  readonly ticks: Map<number, TickRuns>
  readonly isWrapped: boolean
  at = 0

  constructor(text: string, isWrapped: boolean) {
    this.text = text
    this.isWrapped = isWrapped
    this.ticks = tickRuns(text)
  }

  push(inline: Inline): void {
    const isAfterBracket = this.brackets.at(-1)?.at === this.nodes.length - 1
    const last = isAfterBracket ? undefined : this.nodes.at(-1)
    if (typeof inline === 'string' && last && 'inline' in last && typeof last.inline === 'string')
      last.inline += inline
    else this.nodes.push({ inline })
  }

  scan(): Inline[] {
    while (this.at < this.text.length) this.step()
    return emphasised(this.nodes)
  }

  step(): void {
    PLAIN.lastIndex = this.at
    const plain = PLAIN.exec(this.text)
    if (plain) {
      this.push(plain[0])
      this.at += plain[0].length
      return
    }
    const character = this.text.charAt(this.at)
    if (character === '\n') this.lineBreak()
    else if (character === '\\') this.escape()
    else if (character === '`') this.code()
    else if (character === '*' || character === '~') this.run(character)
    else if (character === '[' || (character === '!' && this.text.charAt(this.at + 1) === '['))
      this.openBracket()
    else if (character === ']') this.closeBracket()
    else this.other(character)
  }

  lineBreak(isMarked = this.text.endsWith('  ', this.at)): void {
    const last = this.nodes.at(-1)
    if (last && 'inline' in last && typeof last.inline === 'string') last.inline = last.inline.trimEnd()
    if (this.isWrapped && !isMarked) this.push(' ')
    else this.nodes.push({ inline: { kind: 'break' } })
    this.at++
  }

  escape(): void {
    const next = this.text.charAt(this.at + 1)
    if (/[!-/:-@[-`{-~]/.test(next)) {
      this.push(next)
      this.at += 2
      return
    }
    this.at++
    if (next === '\n') this.lineBreak(true)
    else this.push('\\')
  }

  code(): void {
    let end = this.at
    while (this.text.charAt(end) === '`') end++
    const length = end - this.at
    const runs = this.ticks.get(length) ?? { starts: [], next: 0 }
    while ((runs.starts[runs.next] ?? end) < end) runs.next++
    const close = runs.starts[runs.next]
    if (close === undefined) {
      this.push(this.text.slice(this.at, end))
      this.at = end
      return
    }
    const text = this.text.slice(end, close).replaceAll('\n', ' ')
    const isPadded = text.startsWith(' ') && text.endsWith(' ') && text.trim() !== ''
    this.nodes.push({ inline: { kind: 'code', text: isPadded ? text.slice(1, -1) : text } })
    this.at = close + length
  }

  run(mark: string): void {
    let end = this.at
    while (this.text.charAt(end) === mark) end++
    const before = this.text.charAt(this.at - 1)
    const after = this.text.charAt(end)
    const isSpace = (character: string) => character === '' || /\s/.test(character)
    const left = !isSpace(after) && (!PUNCTUATION.test(after) || isSpace(before) || PUNCTUATION.test(before))
    const right = !isSpace(before) && (!PUNCTUATION.test(before) || isSpace(after) || PUNCTUATION.test(after))
    const count = end - this.at
    if (mark === '~' && count > 2) this.push(mark.repeat(count))
    else this.nodes.push({ run: { mark, count, opens: left, closes: right } })
    this.at = end
  }

  openBracket(): void {
    const isImage = this.text.charAt(this.at) === '!'
    this.at += isImage ? 2 : 1
    if (this.brackets.length < MAX_OPEN)
      this.brackets.push({ at: this.nodes.length, isImage, active: true, textFrom: this.at })
    this.nodes.push({ inline: isImage ? '![' : '[' })
  }

  closeBracket(): void {
    const bracket = this.brackets.pop()
    const end = bracket?.active ? linkEnd(this.text, this.at + 1) : undefined
    if (!bracket || !end) {
      this.push(']')
      this.at++
      return
    }
    const inside = this.nodes.splice(bracket.at).slice(1)
    if (bracket.isImage) {
      const alt = this.text.slice(bracket.textFrom, this.at).replace(/[`*_[\]]/g, '')
      this.nodes.push({ inline: { kind: 'image', src: end.address, alt } })
    } else {
      this.link(safeAddress(end.address), emphasised(inside))
      for (const outer of this.brackets) if (!outer.isImage) outer.active = false
    }
    this.at = end.at
  }

  /** The words of an unsafe address must not look like a link. */
  link(href: string | undefined, children: Inline[]): void {
    if (href !== undefined) this.nodes.push({ inline: { kind: 'link', href, children } })
    else for (const inline of children) this.nodes.push({ inline })
  }

  other(character: string): void {
    const entity = character === '&' ? ENTITY.exec(this.text.slice(this.at, this.at + 8))?.[0] : undefined
    if (entity) {
      this.push(ENTITIES[entity] ?? entity)
      this.at += entity.length
      return
    }
    const link = autolinkAt(this.text, this.at)
    if (link && !this.brackets.some((bracket) => bracket.active && !bracket.isImage)) {
      this.link(link.href, [link.shown])
      this.at = link.end
      return
    }
    this.push(character)
    this.at++
  }
}

const inlineOf = (node: Node): Inline =>
  'inline' in node ? node.inline : node.run.mark.repeat(node.run.count)

const KINDS = { 1: 'em', 2: 'strong' } as const

/** CommonMark's rule of three: runs that could both open and close must not pair by chance. */
const fits = (opener: Run, closer: Run) =>
  opener.mark === closer.mark &&
  opener.opens &&
  (opener.mark === '~'
    ? opener.count === closer.count
    : !((opener.closes || closer.opens) && (opener.count + closer.count) % 3 === 0 && opener.count % 3 !== 0))

type Open = { run: Run; children: Inline[] }

/** Pairs runs from left to right with a stack; a run without partner is text. */
function emphasised(nodes: readonly Node[]): Inline[] {
  const bottom: Open = { run: { mark: '', count: 0, opens: false, closes: false }, children: [] }
  const stack: Open[] = [bottom]
  const top = () => stack.at(-1) as Open
  const fold = () => {
    const { run, children } = stack.pop() as Open
    top().children.push(run.mark.repeat(run.count))
    for (const child of children) top().children.push(child)
  }
  for (const node of nodes) {
    if (!('run' in node)) {
      top().children.push(node.inline)
      continue
    }
    const run = { ...node.run }
    while (run.closes && run.count > 0) {
      const partner = partnerOf(stack, run)
      if (partner < 1) break
      while (stack.length - 1 > partner) fold()
      const open = top()
      const used = run.mark === '~' || (open.run.count >= 2 && run.count >= 2) ? 2 : 1
      const kind = run.mark === '~' ? 'del' : KINDS[used]
      const inside: Inline = { kind, children: open.children }
      const taken = run.mark === '~' ? run.count : used
      open.run.count -= taken
      run.count -= taken
      stack.pop()
      if (open.run.count > 0) stack.push({ run: open.run, children: [inside] })
      else top().children.push(inside)
    }
    if (run.count === 0) continue
    if (run.opens && stack.length < MAX_OPEN) stack.push({ run, children: [] })
    else top().children.push(inlineOf({ run }))
  }
  while (stack.length > 1) fold()
  return bottom.children
}

function partnerOf(stack: readonly Open[], closer: Run): number {
  for (let at = stack.length - 1; at > 0; at--) if (fits((stack[at] as Open).run, closer)) return at
  return -1
}

/**
 * Every line break counts, as authors of cards expect. In a wrapped text (`isWrapped`) only the breaks of
 * CommonMark count.
 */
export const parseInlines = (text: string, isWrapped = false): Inline[] => new Scanner(text, isWrapped).scan()
