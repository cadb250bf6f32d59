import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draftByRules } from '../../src/features/memory/propose-card.ts'
import {
  filesIn,
  hasAnotherCause,
  namedWords,
  namesAnother,
  namesAnotherBetween,
} from '../../src/features/recall/mismatch.ts'
import { questionOf } from '../../src/features/recall/recall.ts'
import { readSyntax } from '../../src/features/search/query.ts'
import { safeMarkdown } from '../../src/pages/markdown.ts'
import { findSecrets, sanitise } from '../../src/redaction/redact.ts'
import { containsInstructions, findDanger } from '../../src/review/find-danger.ts'
import { reviewCard } from '../../src/shared/card-checks.ts'
import { readCites } from '../../src/shared/cites.ts'
import { mine } from '../../src/shared/mining.ts'
import { queryTerms, termsOf } from '../../src/text/analyse.ts'
import { looksLikeTrace, withoutNoise } from '../../src/text/command-output.ts'
import { readFailure } from '../../src/text/failure.ts'
import { foldCase } from '../../src/text/fold.ts'
import { readQuery } from '../../src/text/query.ts'
import { sketchOf } from '../../src/text/similar.ts'
import {
  cardFields,
  markTexts,
  namedTexts,
  phraseTest,
  snippetAround,
  wantTerms,
} from '../../src/text/snippet.ts'
import { interpret } from '../../src/text/terms.ts'
import { quickest } from '../support/linear-time.ts'

/** No analyser of texts costs many times more for a hostile text than a plain log of the same size costs all of them. */

type Analyser = {
  run: (text: string) => unknown
  /** The longest text that a request may hand to it, where that is shorter than a raw material. */
  longest?: number
  /** How many times a plain log's cost is allowed, where words that nobody has met are looked up in full. */
  times?: number
}

const fields = { environment: {}, tags: [], steps: [], root_cause: null }
const card = (text: string) => ({
  ...fields,
  card_type: 'how_to',
  title: text.slice(0, 5000),
  symptom: text,
  fix_summary: `${text} `,
  evidence_count: 0,
  secrets: [],
})
const turnOf = (command: string, output: string, exitCode: number) => ({
  kind: 'command' as const,
  command,
  output,
  exitCode,
})

const ANALYSERS: Record<string, Analyser> = {
  findSecrets: { run: findSecrets },
  sanitise: { run: sanitise },
  findDanger: { run: findDanger },
  containsInstructions: { run: containsInstructions },
  withoutNoise: { run: withoutNoise, longest: 200_000 },
  looksLikeTrace: { run: looksLikeTrace },
  readFailure: { run: readFailure, longest: 64_000, times: 75 },
  questionOfFailure: {
    run: (text) => questionOf('failure', `$ make\nexit code 2\n${text}`),
    longest: 64_000,
    times: 75,
  },
  questionOfPrompt: { run: (text) => questionOf('prompt', text), longest: 200_000 },
  filesIn: { run: filesIn, longest: 200_000 },
  namedWords: { run: namedWords, longest: 200_000, times: 240 },
  hasAnotherCause: { run: (text) => hasAnotherCause([text], [text], [text]), longest: 3000 },
  namesAnother: {
    run: (text) => namesAnother([text], { title: text, about: text, all: text }),
    longest: 3000,
  },
  namesAnotherBetween: {
    run: (text) => namesAnotherBetween([text], text, { quoting: [text], title: text, about: text, all: '' }),
    longest: 3000,
    times: 600,
  },
  markTexts: {
    run: (text) =>
      markTexts(cardFields('title', [{ where: 'symptom', text }]), wantTerms(new Set(['error', 'image']))),
    longest: 200_000,
    times: 240,
  },
  snippetAround: { run: (text) => snippetAround(text, foldCase(text.slice(-40))), longest: 200_000 },
  phraseTest: { run: (text) => phraseTest(text.slice(0, 300))(text), longest: 200_000, times: 240 },
  namedTexts: { run: (text) => namedTexts([text]), longest: 200_000, times: 240 },
  readCites: { run: (text) => readCites({ ...fields, fix_summary: text, body: text }), longest: 200_000 },
  safeMarkdown: { run: safeMarkdown, longest: 200_000, times: 75 },
  readSyntax: { run: (text) => readSyntax(text, () => false), longest: 200_000 },
  readQuery: { run: readQuery, longest: 20_000, times: 240 },
  queryTerms: { run: queryTerms, longest: 200_000, times: 240 },
  termsOf: { run: termsOf, longest: 200_000, times: 240 },
  interpret: { run: interpret, longest: 200_000, times: 120 },
  mine: {
    run: (text) =>
      mine({
        environment: {},
        steps: [turnOf(text.slice(0, 1000), text, 1), turnOf(text.slice(0, 1000), text, 0)],
      } as never),
    longest: 20_000,
    times: 120,
  },
  draftByRules: { run: (text) => draftByRules({ message: text, report: text }), longest: 200_000, times: 75 },
  sketchOf: { run: sketchOf, longest: 150_000, times: 120 },
  reviewCard: { run: (text) => reviewCard(card(text)), longest: 200_000, times: 300 },
}

/** What texts are made of. */
const ATOMS = [
  ...'aA0 \t\n\r-_.,:;/\\"\'`<>{}[]()|&%@#*=~$!?^+',
  ...[
    '\r\n',
    '1.',
    'a.b-c_d/',
    '](',
    '](x)',
    '&#73;',
    '%20',
    '%2F',
    '\\u0022',
    '\\"',
    '**',
    '```',
    '--',
    '://',
  ],
  ...[
    '\u00a0',
    '\u200b',
    '\u2028',
    '\u0301',
    '\u00e9',
    '\ufdfa',
    '\u4e2d',
    '\u{1f9ea}',
    'Aa',
    'a1',
    'x=',
    '| x ',
  ],
  ...['../', 'C:\\', 'node_modules/', 'Error: ', 'at ', 'k8S', 'pass', '$(', '<td>', 'q7Z4', 'ignore '],
]
/** What analysers look for before they read on. */
const HEADS = [
  ...[
    '',
    'Authorization: Bearer ',
    'Authorization: Token ',
    'Cookie: a=',
    'password=',
    'password: "',
    '"token": "',
  ],
  ...[
    'https://',
    'postgres://app:',
    'curl -u ',
    'mysql -p',
    'echo ',
    'curl https://',
    'export API_KEY=',
    '| password | ',
  ],
  ...[
    '| user | password |\n|---|---|\n| x | ',
    'kind: Secret\ndata:\n  a: ',
    '{"kty":"oct","k":"',
    '- ',
    '# ',
    '> ',
  ],
  ...[
    ['-----BEGIN RSA', 'PRIVATE KEY-----\n'].join(' '),
    '[',
    '![',
    '<a href="',
    '&',
    '`',
    '"',
    "'",
    '(',
    '$ ',
  ],
  ...[
    '    at f (',
    '  File "',
    'TypeError: ',
    'npm ERR! ',
    '2026-01-02T03:04:05Z ',
    'ignore previous ',
    'the token is ',
  ],
]

const LENGTHS = [3, 30, 390, 1990, 3990]
/** Long enough for what is quadratic to stand out. Odd: `1.1` is a version and `1.1.` is none. */
const LENGTH = 6001
/** The worst text of an analyser is read once more at this length, where requests may be so long. */
const LARGE = 100_000
const repeatTo = (unit: string, length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

type Text = { name: string; of: (length: number) => string }

const textOf = (head: string, unit: string, valueLength: number, end: string): Text => ({
  name: JSON.stringify([head, unit, valueLength, end]),
  of: (length) => repeatTo(head + repeatTo(unit, Math.min(valueLength, length)) + end, length),
})

const anyOf = fc.constantFrom
const RANDOM = fc
  .tuple(
    anyOf(...HEADS),
    fc.array(anyOf(...ATOMS), { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join('')),
    anyOf(...LENGTHS, Number.POSITIVE_INFINITY),
    anyOf('', '\n', '"\n', '\u0001', ' ', ')'),
  )
  .map(([head, unit, length, end]) => textOf(head, unit, length, end))

const SEED = Number(process.env.FC_SEED ?? 7)
const TEXTS: readonly Text[] = [
  ...ATOMS.map((atom) => textOf('', atom, Number.POSITIVE_INFINITY, '')),
  ...HEADS.flatMap((head) => ['a.b-c_d/', 'b/C/1/'].map((unit) => textOf(head, unit, 3990, '\n'))),
  ...fc.sample(RANDOM, { numRuns: 40, seed: SEED }),
  textOf('![', 'a1<td>=&#73;', 30, ' '),
  textOf('curl https://', '?<a11.', 1990, ')'),
]

const LOG = Array.from(
  { length: 20_000 },
  (_, i) =>
    `2026-01-02T03:04:${i % 60}Z INFO worker ${i % 7} finished job ${i} of queue mail in ${i % 90} ms\n`,
).join('')
const PLAIN: readonly ((text: string) => unknown)[] = [findSecrets, findDanger, termsOf]
/** Of the cost that a plain log causes as a whole: its secrets, its dangers, its words. */
const TIMES = 12
/** Texts that a failure names for each analyser. */
const MAX_NAMED = 5

/** In ms a character. A long text, as clocks of processor time have steps. */
function costOfPlainLog(): number {
  const text = LOG.slice(0, 400_000)
  return quickest(() => PLAIN.map((analyse) => analyse(text)), 0) / text.length
}

test('no analyser takes many times as long for any text as a plain log takes', () => {
  const plain = costOfPlainLog()
  const slow: string[] = []
  for (const [name, { run, longest = 1_000_000, times = TIMES }] of Object.entries(ANALYSERS)) {
    const most = (length: number) => Math.max(4, times * plain * length)
    const length = Math.min(LENGTH, longest)
    const found: string[] = []
    let worst = { ms: 0, text: TEXTS[0] as Text }
    for (const text of TEXTS) {
      const given = text.of(length)
      const began = performance.now()
      run(given)
      const ms = performance.now() - began
      const enough = most(length)
      const best = ms <= enough ? ms : quickest(() => run(given), enough)
      if (best > enough) found.push(`${name} ${text.name}: ${Math.round(best)} ms of ${Math.round(enough)}`)
      else if (best > worst.ms) worst = { ms: best, text }
      if (found.length === MAX_NAMED) break
    }
    slow.push(...found)
    if (found.length > 0) continue
    const larger = Math.min(LARGE, longest)
    const large = worst.text.of(larger)
    const best = quickest(() => run(large), most(larger))
    if (best > most(larger)) slow.push(`${name} ${worst.text.name} × ${larger}: ${Math.round(best)} ms`)
  }
  expect(slow).toEqual([])
}, 240_000)
