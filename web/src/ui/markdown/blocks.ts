/**
 * Parses Markdown blocks in one pass over the lines: CommonMark with the tables, tasks and strikes of
 * GitHub. Raw HTML stays text.
 */
type ListItem = { checked: boolean | null; blocks: Block[] }
type Align = 'left' | 'center' | 'right' | undefined
export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  /** `info` is everything behind the fence: a language, or words that the reader must see. */
  | { kind: 'code'; info: string; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | null; loose: boolean; items: ListItem[] }
  | { kind: 'table'; align: Align[]; head: string[]; rows: string[][] }
  | { kind: 'rule' }

/** Deeper nesting is text: only an attack nests like this. */
const MAX_DEPTH = 12

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const QUOTE = /^ {0,3}> ?/
const MARKER = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|$)(.*)$/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
const TASK = /^\[([ xX])\][ \t]+/

const isBlank = (line: string | undefined) => line === undefined || line.trim() === ''

function isRule(line: string): boolean {
  if (/^ {4}/.test(line)) return false
  const marks = line.replace(/[ \t]/g, '')
  return (
    marks.length >= 3 && '-*_'.includes(marks.charAt(0)) && marks === marks.charAt(0).repeat(marks.length)
  )
}

const withoutTabs = (line: string) => {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
  return indent.includes('\t') ? indent.replaceAll('\t', '    ') + line.slice(indent.length) : line
}

function openFence(line: string): { fence: string; info: string } | undefined {
  const [, fence, info = ''] = FENCE.exec(line) ?? []
  if (!fence || (fence.startsWith('`') && info.includes('`'))) return undefined
  return { fence, info: info.trim() }
}

function cellsOf(line: string): string[] {
  const cells: string[] = []
  let cell = ''
  let inCode = false
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at)
    if (character === '\\' && line.charAt(at + 1) === '|') {
      cell += '|'
      at++
    } else if (character === '|' && !inCode) {
      cells.push(cell.trim())
      cell = ''
    } else {
      if (character === '`') inCode = !inCode && line.includes('`', at + 1)
      cell += character
    }
  }
  cells.push(cell.trim())
  if (cells[0] === '') cells.shift()
  if (cells.length > 0 && cells.at(-1) === '') cells.pop()
  return cells
}

function alignOf(cell: string): Align {
  if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right'
  return cell.startsWith(':') ? 'left' : undefined
}

function tableHead(line: string, next: string | undefined): { head: string[]; align: Align[] } | undefined {
  if (!line.includes('|') || !next?.includes('-')) return undefined
  const marks = cellsOf(next)
  if (marks.length === 0 || !marks.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  const head = cellsOf(line)
  return head.length === marks.length ? { head, align: marks.map(alignOf) } : undefined
}

function interrupts(line: string, next: string | undefined): boolean {
  if (openFence(line) || HEADING.test(line) || QUOTE.test(line) || isRule(line)) return true
  const [, , marker, , text = ''] = MARKER.exec(line) ?? []
  if (marker && text.trim() !== '' && (!/^\d/.test(marker) || /^1[.)]$/.test(marker))) return true
  return tableHead(line, next) !== undefined
}

class Lines {
  readonly lines: readonly string[]
  readonly depth: number
  at = 0

  constructor(lines: readonly string[], depth: number) {
    this.lines = lines
    this.depth = depth
  }

  get line(): string {
    return this.lines[this.at] as string
  }

  get next(): string | undefined {
    return this.lines[this.at + 1]
  }

  blocks(): Block[] {
    const found: Block[] = []
    while (this.at < this.lines.length) {
      if (isBlank(this.line)) this.at++
      else found.push(this.block())
    }
    return found
  }

  block(): Block {
    const isDeep = this.depth >= MAX_DEPTH
    const opened = openFence(this.line)
    if (opened) return this.fenced(opened)
    const heading = HEADING.exec(this.line)
    if (heading) return this.heading(heading)
    if (isRule(this.line)) {
      this.at++
      return { kind: 'rule' }
    }
    if (!isDeep && QUOTE.test(this.line)) return this.quote()
    if (!isDeep && MARKER.test(this.line)) return this.list()
    if (/^ {4}/.test(this.line)) return this.indented()
    const table = tableHead(this.line, this.next)
    return table ? this.table(table) : this.paragraph()
  }

  fenced({ fence, info }: { fence: string; info: string }): Block {
    const indent = this.line.length - this.line.trimStart().length
    const text: string[] = []
    for (this.at++; this.at < this.lines.length; this.at++) {
      const closing = this.line.trim()
      if (closing.length >= fence.length && closing === fence.charAt(0).repeat(closing.length)) {
        this.at++
        break
      }
      let cut = 0
      while (cut < indent && this.line.charAt(cut) === ' ') cut++
      text.push(this.line.slice(cut))
    }
    return { kind: 'code', info, text: text.join('\n') }
  }

  heading([, marks = '', text = '']: RegExpExecArray): Block {
    this.at++
    const whole = text.trimEnd()
    let end = whole.length
    while (whole.charAt(end - 1) === '#') end--
    const isClosed = end < whole.length && (end === 0 || whole.charAt(end - 1) === ' ')
    return { kind: 'heading', level: marks.length, text: (isClosed ? whole.slice(0, end) : whole).trim() }
  }

  quote(): Block {
    const inner: string[] = []
    for (; this.at < this.lines.length && !isBlank(this.line); this.at++) {
      if (QUOTE.test(this.line)) inner.push(this.line.replace(QUOTE, ''))
      else if (isBlank(inner.at(-1)) || interrupts(this.line, this.next)) break
      else inner.push(this.line)
    }
    return { kind: 'quote', blocks: new Lines(inner, this.depth + 1).blocks() }
  }

  list(): Block {
    const [, , first = ''] = MARKER.exec(this.line) ?? []
    const isOrdered = /^\d/.test(first)
    const items: ListItem[] = []
    let loose = false
    while (this.at < this.lines.length) {
      const found = MARKER.exec(this.line)
      const marker = found?.[2] ?? ''
      if (!found || isRule(this.line) || marker.at(-1) !== first.at(-1)) break
      const { item, hasGap, endsBlank } = this.item(found)
      items.push(item)
      const goesOn = this.at < this.lines.length && MARKER.exec(this.line)?.[2]?.at(-1) === first.at(-1)
      loose ||= hasGap || (endsBlank && goesOn)
    }
    return { kind: 'list', start: isOrdered ? Number.parseInt(first, 10) : null, loose, items }
  }

  item([, before = '', marker = '', gap = '', text = '']: RegExpExecArray) {
    const indent = before.length + marker.length + (text === '' ? 1 : gap.length)
    const task = TASK.exec(text)
    const inner = [task ? text.slice(task[0].length) : text]
    for (this.at++; this.at < this.lines.length; this.at++) {
      const { line } = this
      if (isBlank(line)) inner.push('')
      else if (line.length - line.trimStart().length >= indent) inner.push(line.slice(indent))
      else if (isBlank(inner.at(-1)) || MARKER.test(line) || interrupts(line, this.next)) break
      else inner.push(line)
    }
    const endsBlank = inner.length > 1 && inner.at(-1) === ''
    while (inner.length > 1 && inner.at(-1) === '') inner.pop()
    const blocks = new Lines(inner, this.depth + 1).blocks()
    const paragraphs = blocks.filter(({ kind }) => kind === 'paragraph').length
    const item: ListItem = { checked: task ? task[1] !== ' ' : null, blocks }
    return { item, endsBlank, hasGap: paragraphs > 1 }
  }

  indented(): Block {
    const text: string[] = []
    for (; this.at < this.lines.length; this.at++) {
      if (!isBlank(this.line) && !/^ {4}/.test(this.line)) break
      text.push(this.line.slice(4))
    }
    return { kind: 'code', info: '', text: text.join('\n').trimEnd() }
  }

  table({ head, align }: { head: string[]; align: Align[] }): Block {
    const rows: string[][] = []
    for (this.at += 2; this.at < this.lines.length; this.at++) {
      if (isBlank(this.line) || interrupts(this.line, undefined)) break
      const cells = cellsOf(this.line)
      rows.push(head.map((_, index) => cells[index] ?? ''))
    }
    return { kind: 'table', align, head, rows }
  }

  paragraph(): Block {
    const text = [this.line.trim()]
    for (this.at++; this.at < this.lines.length && !isBlank(this.line); this.at++) {
      const underline = UNDERLINE.exec(this.line)
      if (underline) {
        this.at++
        return { kind: 'heading', level: underline[1]?.startsWith('=') ? 1 : 2, text: text.join('\n') }
      }
      if (interrupts(this.line, this.next)) break
      text.push(this.line.trimStart())
    }
    return { kind: 'paragraph', text: text.join('\n').trimEnd() }
  }
}

export const parseBlocks = (markdown: string): Block[] =>
  new Lines(markdown.split(/\r\n|\r|\n/).map(withoutTabs), 0).blocks()
