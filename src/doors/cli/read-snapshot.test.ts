import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { foreignCard } from '../../../test/support/foreign-card.ts'
import {
  type CardLine,
  lineHash,
  MAX_LINE_BYTES,
  NO_LINE,
  SNAPSHOT_FORMAT,
  signEnding,
  writeLine,
} from '../../shared/library-snapshot.ts'
import { readSnapshot } from './library-download.ts'

const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-snapshot-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ed25519')
const SERVER = 'https://a.example'
const ABOUT = { format: SNAPSHOT_FORMAT, key_id: 'k', made_at: '2026-01-01T00:00:00.000Z', server: SERVER }

/** A snapshot of so many cards as its server writes it. */
function snapshot(count: number, about = ABOUT, key = privateKey, first = NO_LINE): string[] {
  const lines = [writeLine({ ...about, prev: first })]
  const head = () => lineHash(lines.at(-1) ?? '')
  for (let i = 0; i < count; i++)
    lines.push(writeLine({ ...foreignCard(`w${i}`), prev: head() } as unknown as CardLine))
  lines.push(writeLine(signEnding({ ...about, cards: count, head: head() }, key)))
  return lines
}

async function read(bytes: Buffer, isPacked: boolean): Promise<number> {
  const path = join(folder, 'snapshot')
  writeFileSync(path, bytes)
  const file = { path, bytes: bytes.length, isPacked }
  let cards = 0
  for await (const _ of readSnapshot(file, { server: SERVER, keyOf: () => publicKey })) cards += 1
  return cards
}

const plain = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''))
const packed = (lines: readonly string[]) => zstdCompressSync(plain(lines))

test('a snapshot is read whole, with and without compression, also an empty one', async () => {
  expect(await read(packed(snapshot(3)), true)).toBe(3)
  expect(await read(plain(snapshot(3)), false)).toBe(3)
  expect(await read(packed(snapshot(0)), true)).toBe(0)
})

test('anything other than what the server signed is refused, and the error says why', async () => {
  const lines = snapshot(3)
  const [head = '', one = '', two = '', three = '', last = ''] = lines
  const bad = (line: string, change: object) => writeLine({ ...JSON.parse(line), ...change })
  const cases: [string, string[], string][] = [
    [
      'a changed text',
      [head, one.replace('pool', 'pond'), two, three, last],
      'content of line 2 does not match',
    ],
    ['a changed author', [head, bad(one, { author: 'Eve' }), two, three, last], 'line 3 does not follow'],
    [
      'a changed last card',
      [head, one, two, bad(three, { licence: 'MIT' }), last],
      'does not match the lines before',
    ],
    ['another order', [head, two, one, three, last], 'line 2 does not follow'],
    ['a line left out', [head, one, three, last], 'line 3 does not follow'],
    ['the last card left out', [head, one, two, last], 'does not match the lines before'],
    ['a wrong count', [head, one, two, three, bad(last, { cards: 2 })], 'does not match the lines before'],
    ['another signature', [head, one, two, three, bad(last, { signature: 'AAAA' })], 'signature'],
    ['another key', snapshot(3, ABOUT, other.privateKey), 'signature'],
    [
      'another ending',
      [...lines.slice(0, -1), snapshot(3, { ...ABOUT, made_at: 'x' }).at(-1) ?? ''],
      'match its first line',
    ],
    ['no end', lines.slice(0, -1), 'no signed last line'],
    ['nothing', [], 'no signed last line'],
    ['more after the end', [...lines, one], 'continues after'],
    [
      'another server',
      snapshot(1, { ...ABOUT, server: 'https://b.example' }),
      'it belongs to https://b.example',
    ],
    ['another format', snapshot(1, { ...ABOUT, format: 'x/9' }), 'newer kvault'],
    ['the middle of a chain', snapshot(1, ABOUT, privateKey, 'a'.repeat(64)), 'not the start of a chain'],
    ['another spelling', [head, one.replace('{', '{ '), two, three, last], 'canonical'],
    ['no object', [head, '[]', last], 'canonical'],
    [
      'a card without content',
      [head, writeLine({ prev: lineHash(head) } as CardLine), last],
      'does not match its hash',
    ],
    ...['9999', '2026', 'soon', 5 as unknown as string].map((made_at): [string, string[], string] => [
      `made at ${made_at}`,
      snapshot(1, { ...ABOUT, made_at }),
      'does not say when it was made',
    ]),
    [
      'a card without an id',
      [head, writeLine({ ...JSON.parse(one), card_id: 'x'.repeat(99) }), last],
      'line 2 has no id',
    ],
    ['an empty line', [head, '', last], 'line 2 is not JSON'],
    ['deep nesting', [head, '['.repeat(200_000), last], 'line 2 is not JSON'],
  ]
  for (const [what, texts, message] of cases) {
    const refusal = await read(packed(texts), true).catch((error: Error) => error.message)
    expect(refusal, what).toContain('nothing was imported')
    expect(refusal, what).toContain(message)
  }
})

test('a file that is cut, broken or made to fill memory is refused', async () => {
  const whole = packed(snapshot(3))
  const bombs: [string, Buffer, boolean, string][] = [
    ['cut while packed', whole.subarray(0, -20), true, 'cut short'],
    ['broken', Buffer.concat([whole.subarray(0, 30), Buffer.alloc(60), whole.subarray(90)]), true, 'broken'],
    ['no zstd at all', plain(snapshot(1)), true, 'broken'],
    ['cut as text', plain(snapshot(3)).subarray(0, -20), false, 'middle of a line'],
    ['one endless line', zstdCompressSync(Buffer.alloc(MAX_LINE_BYTES + 1, 'a')), true, 'a line has more'],
    [
      'very many lines',
      zstdCompressSync(
        plain(
          snapshot(1)
            .slice(0, 1)
            .concat(Array(3).fill('x'.repeat(MAX_LINE_BYTES - 1))),
        ),
      ),
      true,
      'not JSON',
    ],
  ]
  for (const [what, bytes, isPacked, message] of bombs) {
    const refusal = await read(bytes, isPacked).catch((error: Error) => error.message)
    expect(refusal, what).toContain(message)
  }
})
