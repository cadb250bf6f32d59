import { ClientError, EXIT } from '../../exit-codes.ts'
import type { HookFile } from './hook-file.ts'

const BEGIN = '<!-- knowledge-vault: begin -->'
const END = '<!-- knowledge-vault: end -->'

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

function without(text: string, file: string): string {
  const from = text.indexOf(BEGIN)
  if (from < 0) return text
  const to = text.indexOf(END, from)
  const next = text.indexOf(BEGIN, from + BEGIN.length)
  // What follows is the block and then the person's own rules, and nothing says where they begin.
  if (to < 0 || (next >= 0 && next < to))
    throw new ClientError(
      `${file} has "${BEGIN}" without its end, so it is left alone. Delete that line, or write "${END}" where the block ends.`,
      EXIT.byHand,
    )
  const eol = eolOf(text)
  const before = text.slice(0, from)
  const after = text.slice(to + END.length)
  // The block was added with an empty line before it and a line end after it.
  const cut = before.endsWith(eol + eol) ? before.slice(0, -eol.length) : before
  return cut + (after.startsWith(eol) ? after.slice(eol.length) : after)
}

/** A block between two marks, at the end of the person's own text. */
export function markedBlock(file: () => string, block: () => string): HookFile {
  return {
    file,
    at: (path) => markedBlock(() => path, block),
    hasOurs: (text) => text?.includes(BEGIN) ?? false,
    withOurs: (text) => {
      const rest = without(text ?? '', file())
      const eol = eolOf(rest)
      const gap = rest === '' ? '' : rest.endsWith(eol) ? eol : eol + eol
      const lines = [BEGIN, ...block().trim().split('\n'), END, '']
      return rest + gap + lines.join(eol)
    },
    withoutOurs: (text) => {
      const rest = without(text, file())
      return rest.trim() === '' ? null : rest
    },
  }
}
