import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom as numbersFrom, withTypos } from '../lib/texts.ts'
import { FOLDER, KINDS, linesOf, type Query, type WrittenQuery } from './data.ts'

/** `node bench/symptom-fix/make-queries.ts` writes queries.jsonl again from written.jsonl, the same each time. */

const PER_KIND = 160

type Random = { below: (most: number) => number; pick: <T>(from: readonly T[]) => T }

function randomFrom(seed: number): Random {
  const below = numbersFrom(seed)
  return { below, pick: (from) => from[below(from.length)] as (typeof from)[number] }
}

const two = (number: number) => String(number).padStart(2, '0')
const hex = ({ below }: Random, digits: number) =>
  Array.from({ length: digits }, () => below(16).toString(16)).join('')

const HOSTS = ['web-2', 'build-07', 'ip-10-0-3-41', 'runner-a1', 'node4', 'worker-9']
const PATHS = ['/api/v1/orders', '/health', '/login', '/assets/app.js', '/metrics', '/cart/items/41']
const UNITS = ['cron', 'kernel', 'sshd', 'scheduler', 'gateway', 'agent']
const CHATTER = [
  'starting up',
  'configuration loaded',
  'listening for requests',
  'heartbeat ok',
  'cache warmed',
  'reconnecting in 5s',
  'retrying (attempt 2 of 5)',
  'job finished',
  'metrics flushed',
  'leader elected',
]
const FILES = ['server', 'handler', 'runner', 'pipeline', 'session', 'loader']

/** How the lines of one log begin, given the second of the day; its day is drawn once. */
type Stamp = (random: Random, second: number) => string

const clock = (second: number) =>
  `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`

function stampFor({ pick, below }: Random): Stamp {
  const [month, day] = [two(1 + below(9)), two(1 + below(28))]
  const [host, unit, service] = [pick(HOSTS), pick(UNITS), pick(['app-1', 'db-1', 'proxy-1'])]
  const process = 300 + below(9000)
  const stamps: Stamp[] = [
    ({ below }, second) => `2026-${month}-${day}T${clock(second)}.${100 + below(900)}Z`,
    (_, second) => `Feb ${day} ${clock(second)} ${host} ${unit}[${process}]:`,
    ({ below }, second) => `[2026-${month}-${day} ${clock(second)},${100 + below(900)}]`,
    (_, second) => `${service}  | ${clock(second)}`,
  ]
  return pick(stamps)
}

function noiseLine(random: Random, stamp: string): string {
  const { pick, below } = random
  return pick([
    () => `${stamp} INFO ${pick(CHATTER)}`,
    () =>
      `${stamp} DEBUG request_id=${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)} ${pick(CHATTER)}`,
    () => `${stamp} "GET ${pick(PATHS)} HTTP/1.1" 200 ${100 + below(9000)} ${below(90)}ms`,
    () => `${stamp} WARN slow tick 0x${hex(random, 12)} took ${below(4000)}ms`,
    () => `[${'='.repeat(4 + below(20))}>${' '.repeat(6)}] ${below(100)}% ${below(40)}.${below(10)} MB/s`,
  ])()
}

type Frame = (random: Random) => string

const javascript: Frame = ({ pick, below }) =>
  `    at ${pick(FILES)} (/srv/app/lib/${pick(FILES)}.js:${1 + below(400)}:${1 + below(60)})`
const python: Frame = ({ pick, below }) =>
  `  File "/opt/app/${pick(FILES)}.py", line ${1 + below(400)}, in ${pick(FILES)}`
const java: Frame = ({ pick, below }) =>
  `\tat com.example.${pick(FILES)}.Main.run(Main.java:${1 + below(400)})`
const native: Frame = (random) =>
  `   ${random.below(20)}: 0x${hex(random, 12)} - ${random.pick(FILES)}::${random.pick(FILES)}`

/** Stack frames that follow an error, by the topic of the card. Other programs write none. */
const FRAMES: Record<string, Frame> = {
  npm: javascript,
  node: javascript,
  react: javascript,
  python,
  java,
  mobile: java,
  rust: native,
  go: native,
}

/** An error as it appears in a log: lines before it, the error, some frames, lines after it. */
function logAround({ text, answer }: WrittenQuery, seed: number): string {
  const random = randomFrom(seed)
  const stampOf = stampFor(random)
  let second = random.below(80_000)
  const stamp = () => {
    second += random.below(4)
    return stampOf(random, second)
  }
  const lines = (most: number) =>
    Array.from({ length: 3 + random.below(most) }, () => noiseLine(random, stamp()))
  const before = lines(8)
  const error = `${stamp()} ERROR ${text}`
  const frame = FRAMES[answer.split('-')[0] ?? '']
  const frames = frame ? Array.from({ length: random.below(6) }, () => frame(random)) : []
  return [...before, error, ...frames, ...lines(4)].join('\n')
}

/** The given number of items, spread evenly. */
const spread = <T>(all: readonly T[], most: number): T[] =>
  Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as T)

export function makeQueries(written: readonly WrittenQuery[]): Query[] {
  const of = (kind: WrittenQuery['kind']) => written.filter((query) => query.kind === kind)
  const errors = spread(of('error'), PER_KIND)
  // Errors that are not used unchanged come first, so that most cards with an error get a query.
  const unasked = of('error').filter((query) => !errors.includes(query))
  const logged = [...unasked, ...spread(errors, PER_KIND - unasked.length)]
  // A query of short words alone has no typo.
  const slippery = (kind: 'title' | 'paraphrase') => of(kind).filter(({ text }) => withTypos(text) !== text)
  const typos = [...spread(slippery('title'), PER_KIND / 2), ...spread(slippery('paraphrase'), PER_KIND / 2)]
  const byKind = {
    title: spread(of('title'), PER_KIND),
    paraphrase: spread(of('paraphrase'), PER_KIND),
    error: errors,
    log: logged.map((query, i) => ({ ...query, text: logAround(query, i + 1) })),
    typo: typos.map((query) => ({ ...query, text: withTypos(query.text) })),
  }
  return KINDS.flatMap((kind) =>
    byKind[kind].map(({ text, answer }, i) => ({
      id: `${kind}-${String(i + 1).padStart(3, '0')}`,
      kind,
      text,
      answer,
    })),
  )
}

if (import.meta.main) {
  const lines = makeQueries(linesOf<WrittenQuery>('written.jsonl')).map((query) => JSON.stringify(query))
  writeFileSync(join(FOLDER, 'queries.jsonl'), `${lines.join('\n')}\n`)
}
