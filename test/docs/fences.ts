/** A fenced block of a Markdown page. `line` is the line of its first command, counted from 1. */
export type Fence = { language: string; note: string; line: number; text: string }

/** A block of commands, with the texts that its output must hold, in this order. */
export type CommandBlock = { line: number; script: string; expected: { line: number; text: string }[] }

const OPENING = /^ {0,3}(`{3,}|~{3,}) *(\S*) *(.*)$/

export function fencesOf(page: string): Fence[] {
  const fences: Fence[] = []
  let open: (Fence & { mark: string; lines: string[] }) | undefined
  for (const [index, line] of page.split(/\r?\n/).entries()) {
    if (open) {
      const end = line.trim()
      if (end.startsWith(open.mark) && new Set(end).size === 1) {
        const { language, note, line, lines } = open
        fences.push({ language, note, line, text: lines.join('\n') })
        open = undefined
      } else open.lines.push(line)
      continue
    }
    const [, mark, language, note] = OPENING.exec(line) ?? []
    if (mark)
      open = { mark, language: language ?? '', note: note ?? '', line: index + 2, text: '', lines: [] }
  }
  if (open) throw new Error(`line ${open.line - 1}: the block is never closed`)
  return fences
}

/** `# → text` at the end of a line or on a line of its own. */
const MARKED_OUTPUT = /(?:^|\s)# → (.+)$/

const linesOf = (fence: Fence) =>
  fence.text.split('\n').map((text, index) => ({ line: fence.line + index, text: text.trim() }))

/**
 * The blocks to run: those in `sh`. What they print is documented by `# → text` in the block, or by a block in `text`
 * right after it.
 */
export function commandBlocksOf(page: string): CommandBlock[] {
  const lines = page.split(/\r?\n/)
  const fences = fencesOf(page)
  const isRightAfter = (block: Fence, next: Fence) =>
    lines.slice(block.line + block.text.split('\n').length, next.line - 2).every((line) => line.trim() === '')
  return fences.flatMap((fence, index) => {
    if (fence.language !== 'sh') return []
    const marked = linesOf(fence).flatMap(({ line, text }) => {
      const found = MARKED_OUTPUT.exec(text)?.[1]
      return found ? [{ line, text: found.trim() }] : []
    })
    const next = fences[index + 1]
    const shown = next?.language === 'text' && isRightAfter(fence, next) ? linesOf(next) : []
    const expected = [...marked, ...shown.filter(({ text }) => text !== '')]
    return [{ line: fence.line, script: fence.text, expected }]
  })
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Where `text` ends in `output` after `from`, or -1. `…` stands for anything, and blanks for any blanks. */
export function findOutput(output: string, text: string, from: number): number {
  const pattern = text
    .split('…')
    .map((part) => part.trim().split(/\s+/).map(escaped).join('\\s+'))
    .join('[\\s\\S]*?')
  const found = new RegExp(pattern).exec(output.slice(from))
  return found ? from + found.index + found[0].length : -1
}
