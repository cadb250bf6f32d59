import { globSync, readFileSync } from 'node:fs'
import { findSecrets } from '../src/features/redaction/redact.ts'
import { ALL_RULES } from '../src/features/redaction/rules/all.ts'
import { KEYWORDS } from '../src/features/redaction/scan.ts'
import { report } from './support/report.ts'

/** Megabytes a second on one core, over the files given as arguments or this repository's own sources and docs. */
const BAR_MB_PER_SECOND = 5
const LEAST_BYTES = 20_000_000

const patterns = process.argv.slice(2)
const files = globSync(patterns.length > 0 ? patterns : ['src/**/*.ts', 'docs/**/*.md', 'web/src/**/*.tsx'])
const texts = files.map((file) => readFileSync(file, 'utf8'))
const size = texts.reduce((sum, text) => sum + text.length, 0)
if (size === 0) throw new Error('no text to read')

for (const text of texts) findSecrets(text)
let bytes = 0
let found = 0
const before = process.cpuUsage()
while (bytes < LEAST_BYTES) {
  for (const text of texts) for (const { count } of findSecrets(text)) found += count
  bytes += size
}
const seconds = process.cpuUsage(before).user / 1e6
const speed = bytes / 1e6 / seconds
console.log(
  `ordinary text: ${speed.toFixed(1)} MB/s (bar ${BAR_MB_PER_SECOND}), ${((found / bytes) * 1e5).toFixed(2)} finds per 100 kB`,
)

/**
 * Finds the slowest input that repeats one thing: a character, a keyword, a part of a keyword, or a keyword next to a character
 * that starts a word or a value. All are tried with little text, and the slowest with a megabyte.
 */
const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
const PIECES = [
  ...KEYWORDS,
  ...ALL_RULES.flatMap((rule) => (rule.form === 'token' ? rule.prefixes : [])),
  ...['://a:', '://a:b', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----\n', 'cookie:a='],
  ...['kind: Secret\ndata:\n', 'private-lines: 1\n', 'authorization: a ', ' -u a:', '1:AA', 'a-us', '0Q~'],
]
const UNITS = new Set([
  ...characters,
  ...PIECES.flatMap((keyword) => [
    ...Array.from({ length: keyword.length }, (_, index) => keyword.slice(0, index + 1)),
    ...['_', '"', ' ', '.'].map((sign) => sign + keyword),
    ...['=', ': ', '="', ' = "a', '_'].map((sign) => keyword + sign),
  ]),
])

function secondsPerMegabyte(unit: string, size: number): number {
  const text = unit.repeat(Math.ceil(size / unit.length))
  const start = process.cpuUsage()
  findSecrets(text)
  return (process.cpuUsage(start).user / 1e6) * (1e6 / text.length)
}

const tried = Array.from(UNITS, (unit) => ({ unit, seconds: secondsPerMegabyte(unit, 10_000) }))
tried.sort((a, b) => b.seconds - a.seconds)
let slowest = { unit: '', seconds: 0 }
for (const unit of new Set([...tried.slice(0, 100).map(({ unit }) => unit), ...characters])) {
  const seconds = secondsPerMegabyte(unit, 1_000_000)
  if (seconds > slowest.seconds) slowest = { unit, seconds }
}
console.log(
  `hostile text: the slowest of ${UNITS.size} repetitions is ${JSON.stringify(slowest.unit)}, ${slowest.seconds.toFixed(2)} s a megabyte (bar 1)`,
)
report([
  {
    what: 'ordinary text',
    measured: `${speed.toFixed(1)} MB/s`,
    bar: `at least ${BAR_MB_PER_SECOND} MB/s`,
    met: speed >= BAR_MB_PER_SECOND,
  },
  {
    what: 'the slowest hostile text',
    measured: `${slowest.seconds.toFixed(2)} s a megabyte`,
    bar: 'at most 1 s',
    met: slowest.seconds <= 1,
  },
])
if (speed < BAR_MB_PER_SECOND || slowest.seconds > 1) process.exitCode = 1
