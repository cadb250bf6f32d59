import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findSecrets, KEYWORDS } from '../src/redaction/redact.ts'
import { ALL_RULES } from '../src/redaction/rules.ts'
import type { Table } from './lib/measure.ts'
import { repository } from './lib/servers.ts'

const MIN_BYTES = 20_000_000
const MEGABYTE = 1_000_000
const SHORT_TEXT = 10_000
/** So many of the slowest short texts are tried with a megabyte. */
const CANDIDATES = 100

const OWN_FILES = ['src/**/*.ts', 'docs/**/*.md', 'web/src/**/*.tsx']

function ordinaryText(patterns: readonly string[], isQuick: boolean): Table['rows'][number] {
  const all = globSync(patterns.length > 0 ? patterns : OWN_FILES.map((pattern) => join(repository, pattern)))
  const files = all.filter((_, n) => !isQuick || n % 20 === 0)
  const texts = files.map((file) => readFileSync(file, 'utf8'))
  const size = texts.reduce((sum, text) => sum + text.length, 0)
  if (size === 0) throw new Error('The files have no text.')
  for (const text of texts) findSecrets(text)
  let [bytes, found] = [0, 0]
  const before = process.cpuUsage()
  for (const enough = isQuick ? 1 : MIN_BYTES; bytes < enough; bytes += size)
    for (const text of texts) for (const { count } of findSecrets(text)) found += count
  const seconds = process.cpuUsage(before).user / 1e6
  return {
    text: `ordinary, ${files.length} files`,
    'MB a second': (bytes / 1e6 / seconds).toFixed(1),
    'finds per 100 kB': ((found / bytes) * 1e5).toFixed(2),
  }
}

const CHARACTERS = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
const PIECES = [
  ...KEYWORDS,
  ...ALL_RULES.flatMap((rule) => (rule.form === 'token' ? rule.prefixes : [])),
  ...['://a:', '://a:b', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----\n', 'cookie:a='],
  ...['kind: Secret\ndata:\n', 'private-lines: 1\n', 'authorization: a ', ' -u a:', '1:AA', 'a-us', '0Q~'],
]

/** A character, a keyword, a part of a keyword, or a keyword next to a character that starts a word or a value. */
const units = (): string[] => [
  ...new Set([
    ...CHARACTERS,
    ...PIECES.flatMap((keyword) => [
      ...Array.from({ length: keyword.length }, (_, index) => keyword.slice(0, index + 1)),
      ...['_', '"', ' ', '.'].map((sign) => sign + keyword),
      ...['=', ': ', '="', ' = "a', '_'].map((sign) => keyword + sign),
    ]),
  ]),
]

function secondsPerMegabyte(unit: string, size: number): number {
  const text = unit.repeat(Math.ceil(size / unit.length))
  const start = process.cpuUsage()
  findSecrets(text)
  return (process.cpuUsage(start).user / 1e6) * (MEGABYTE / text.length)
}

/** The slowest input that repeats one thing. All are tried with little text, and the slowest with a megabyte. */
function slowestText(isQuick: boolean): Table['rows'][number] {
  const all = units().filter((_, n) => !isQuick || n % 20 === 0)
  const tried = all
    .map((unit) => ({ unit, seconds: secondsPerMegabyte(unit, SHORT_TEXT) }))
    .sort((a, b) => b.seconds - a.seconds)
  const candidates = tried.slice(0, isQuick ? 5 : CANDIDATES).map(({ unit }) => unit)
  const measured = [...new Set([...candidates, ...(isQuick ? [] : CHARACTERS)])]
    .map((unit) => ({ unit, seconds: secondsPerMegabyte(unit, MEGABYTE) }))
    .sort((a, b) => b.seconds - a.seconds)
  const [slowest = { unit: '', seconds: Number.NaN }] = measured
  return {
    text: `slowest of ${all.length} repetitions: ${JSON.stringify(slowest.unit)}`,
    'MB a second': (1 / slowest.seconds).toFixed(2),
  }
}

/** Speed of the secret scanner by CPU of one core, over the files given or this repository's own. */
export async function run(args: string[]): Promise<Table[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false } },
  })
  const rows = [ordinaryText(positionals, values.quick), slowestText(values.quick)]
  return [{ title: 'secret scanner, CPU of one core', rows }]
}
