import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { growsTooFast, quickest } from '../support/linear-time.ts'
import { repository } from '../support/process.ts'

const LITERAL =
  /(?<=[=(,:[!&|?{}; \n]|return )\/(?![*/])((?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\n\\[])+)\/([dgimsuvy]*)(?=[.,;)\s\]}:])/g

type Pattern = { file: string; source: string; flags: string }

export const patterns: readonly Pattern[] = globSync('src/**/*.ts', { cwd: repository })
  .filter((file) => !/\.test\.ts$|samples\.ts$/.test(file))
  .flatMap((file) => {
    const code = readFileSync(join(repository, file), 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*\*).*$/gm, '')
    return [...code.matchAll(LITERAL)].flatMap(([, source = '', flags = '']) => {
      try {
        new RegExp(source, flags)
        return [{ file, source, flags }]
      } catch {
        return []
      }
    })
  })

/** Long repetitions of what patterns like to repeat, with an end that makes them fail. */
const REPEATED = [
  'a',
  'A',
  '0',
  ' ',
  '\n',
  '\t',
  '-',
  '_',
  '.',
  '/',
  '\\',
  '"',
  "'",
  '@',
  '<',
  '{',
  '[',
  '(',
  '*',
  '=',
  ':',
  ';',
  ',',
  '%',
  '#',
  '\r\n',
  'a ',
  'a.',
  'a-',
  '0.',
  'a=',
  'a@',
  '//',
  '":',
  '\u00e9',
  '\u4e2d',
  '\u{1f9ea}',
]
type TextOf = (length: number) => string

const HOSTILE: readonly TextOf[] = REPEATED.flatMap((piece): TextOf[] => {
  const long: TextOf = (length) => piece.repeat(Math.ceil(length / piece.length))
  return [long, (length) => `${long(length)}\u0001`, (length) => `a${long(length)}!`]
})

/** Each once, however many files have it. */
const unlike = () => Map.groupBy(patterns, ({ source, flags }) => `${source} ${flags}`).values()

/** Times the limit: beyond it no slow machine is the reason. */
const NEAR = 4

/** Patterns over text that is short, or ours: file, beginning of the pattern, and why it cannot grow. */
const BOUNDED: readonly [file: string, start: string, why: string][] = [
  ['src/doors/cli/connect/client-settings.ts', '\\r?\\n', "one's own file"],
  ['src/features/support/chat.ts', '^\\s*(', 'our guide pages'],
  ['src/features/guide/guide.ts', '!?\\[', 'our guide pages'],
  ['src/shared/memory.ts', '', 'a key of at most 1,000 characters'],
  ['src/shared/cites.ts', '^\\s*[vV=]', 'a range of at most 200 characters'],
  ['src/redaction/commands.ts', '^[\\x20', 'at most 375 decoded bytes'],
]
const isBounded = ({ file, source }: Pattern) =>
  BOUNDED.some(([bounded, start]) => file === bounded && source.startsWith(start))

/** A pattern with the flag g would begin where it ended. */
function fromStart(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0
  pattern.exec(text)
}

function slowest(
  { source, flags }: Pattern,
  longestMs: number,
  length: number,
): { ms: number; text: string } {
  let worst = { ms: 0, text: '' }
  // Made once: to compile it for each text takes far longer than to run it.
  const pattern = new RegExp(source, flags)
  for (const textOf of HOSTILE) {
    const text = textOf(length)
    const began = performance.now()
    fromStart(pattern, text)
    // Wall time is cheap to read. Processor time is asked for where a pattern looks slow only.
    if (performance.now() - began <= longestMs) continue
    const best = quickest(() => fromStart(pattern, text), longestMs)
    // What is a little over it and grows as the text does is no bad pattern, but a slow machine.
    const isNear = best > longestMs && best <= longestMs * NEAR
    if (isNear && !growsTooFast((longer) => fromStart(pattern, textOf(longer)), length)) continue
    if (best > worst.ms) worst = { ms: best, text: text.slice(0, 12) }
  }
  return worst
}

/**
 * Those that take longer than this over any repetition of characters of this length. Over 4,000 linear patterns take some
 * hundredths of a millisecond, quadratic ones tens of milliseconds, worse ones for ever.
 */
export function slowPatterns({ longestMs, length }: { longestMs: number; length: number }): string[] {
  return [...unlike()]
    .flatMap((same) => same.filter((pattern) => !isBounded(pattern)).slice(0, 1))
    .map((pattern) => ({ ...pattern, ...slowest(pattern, longestMs, length) }))
    .filter(({ ms }) => ms > longestMs)
    .map(
      ({ file, source, text, ms }) =>
        `${file}: /${source}/ on ${JSON.stringify(text)} (${Math.round(ms)} ms)`,
    )
}
