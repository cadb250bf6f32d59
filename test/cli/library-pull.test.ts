import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextFor } from '../../src/core/context.ts'
import { retireKey } from '../../src/features/library/signing-keys.ts'
import { makeDueSnapshot } from '../../src/features/library/snapshot.ts'
import { MAX_LINE_BYTES } from '../../src/shared/library-snapshot.ts'
import { goodCard, titleWord } from '../support/cards.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, runKvault } from '../support/process.ts'

/** Two servers that know nothing of each other; A has a library, B's team pulls it. */
let a: LiveVault
let b: LiveVault
let author: Person
let puller: Person
let key: string
let workspaceId: string
/** A's clock: weeks back, so that each snapshot can be a day later and still be made before now. */
let offsetMs = -30 * 24 * 3_600_000
const home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))

beforeAll(async () => {
  const options = { jobs: [], now: () => new Date(Date.now() + offsetMs) }
  a = await liveVault({ PUBLIC_PAGES: 'on' }, options)
  b = await liveVault({}, { jobs: [] })
  author = await registerPerson(a, 'author@example.com')
  puller = await registerPerson(b, 'puller@example.com')
  key = await apiKeyOf(puller)
  workspaceId = (await puller.post('/api/v1/workspaces', { name: 'Team' })).body.workspace_id
})
afterAll(async () => {
  await a.close()
  await b.close()
  rmSync(home, { recursive: true, force: true })
})

const pull = (...more: string[]): Promise<CommandResult> =>
  runKvault(
    ['library', 'pull', a.url, '--workspace', workspaceId, ...more],
    { HOME: home, KVAULT_URL: b.url, KVAULT_API_KEY: key },
    { cwd: home },
  )

async function publish(word: string, licence: string): Promise<string> {
  const { card_id } = (await author.post('/api/v1/cards', goodCard(word))).body
  const answer = await author.post(`/api/v1/cards/${card_id}/publish?licence=${licence}`)
  expect(answer.status, answer.text).toBe(200)
  return card_id
}

async function nextSnapshot(): Promise<void> {
  offsetMs += 25 * 3_600_000
  expect(await makeDueSnapshot(contextFor(a.app.services))).toBe(true)
}

const pulled = async () =>
  (await puller.get(`/api/v1/library/pulled?workspace_id=${workspaceId}&server=${a.url}`)).body.items

/** What an agent of B reads at the MCP door. */
async function byAgent(name: string, input: Record<string, unknown>): Promise<string> {
  const answer = await fetch(`${b.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      'x-api-key': key,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
    }),
  })
  const [, json = ''] = /(\{.*\})/s.exec(await answer.text()) ?? []
  return JSON.parse(json).result.content[0].text
}

test('a library is pulled to another server, and agents there see its origin', async () => {
  const none = await pull()
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('lists no key')])
  const { display_name } = (await author.get('/api/v1/auth/me')).body
  const free = await publish('quokka', 'CC0-1.0')
  await publish('numbat', 'CC-BY-4.0')
  await nextSnapshot()

  const looked = await pull('--dry-run')
  expect([looked.stderr, looked.code]).toEqual(['', 0])
  expect(await pulled()).toEqual([])
  const first = await pull()
  expect([first.stderr, first.code]).toEqual(['', 0])
  expect(first.stdout).toContain('2 new')
  const pins = JSON.parse(readFileSync(join(home, '.config', 'kvault', 'library-keys.json'), 'utf8'))
  expect(first.stdout).toContain(pins[a.url].keyId)

  const found = await puller.tool('search_records', { query: titleWord('quokka'), scope: 'workspace' })
  const [hit] = found.body.data.results
  expect(hit.provenance).toMatchObject({ owner: 'public', origin: a.url })
  const card = (await puller.tool('get_card', { card_id: hit.card_id })).body.data
  expect(card.origin).toMatchObject({
    server: a.url,
    card_id: free,
    licence: 'CC0-1.0',
    author: display_name,
  })

  const said = await byAgent('search_records', { query: titleWord('quokka'), scope: 'workspace' })
  expect(said).toMatch(/^<vault-data-\w+>/m)
  expect(said).toContain(`public, pulled from ${a.url}`)
  expect(await byAgent('get_card', { card_id: hit.card_id })).toContain(`"origin":"${a.url}"`)

  const second = await pull('--json')
  expect(JSON.parse(second.stdout)).toMatchObject({ counts: { unchanged: 2 }, items: [] })
  expect(second.stdout).not.toContain('created')
})

test('a newer version updates a card; a card that was taken back there is named, and deleted with --prune', async () => {
  const cards = (await author.get('/api/v1/cards?scope=personal')).body.items
  const [kept, gone] = cards as { card_id: string }[]
  await author.patch(`/api/v1/cards/${kept?.card_id}`, { body: 'Tried again' })
  await author.post(`/api/v1/cards/${gone?.card_id}/unpublish`)
  await nextSnapshot()
  const named = await pull()
  expect(named.stdout).toContain('1 updated')
  expect(named.stdout).toContain('No longer in the library there:')
  expect(await pulled()).toHaveLength(2)
  const pruned = await pull('--prune')
  expect(pruned.stdout).toContain('deleted here; it can be brought back for 30 days')
  expect((await pulled()).map((card: { origin_card_id: string }) => card.origin_card_id)).toEqual([
    kept?.card_id,
  ])
})

test('--prune keeps what somebody here has edited or added evidence to, and says so', async () => {
  const words = ['potoroo', 'bettong', 'dunnart']
  const there: string[] = []
  for (const word of words) there.push(await publish(word, 'MIT'))
  await nextSnapshot()
  expect((await pull()).stdout).toContain('3 new')
  const here = new Map<string, string>(
    (await pulled()).map((card: { origin_card_id: string; card_id: string }) => [
      card.origin_card_id,
      `/api/v1/cards/${card.card_id}`,
    ]),
  )
  const [edited = '', evidenced = '', same = ''] = there.map((id) => here.get(id))
  await puller.patch(edited, { body: 'What we found out ourselves' })
  await puller.patch(evidenced, { evidences: [{ kind: 'log', content: 'seen on our machine' }] })
  for (const id of there) await author.post(`/api/v1/cards/${id}/unpublish`)
  await nextSnapshot()
  expect((await pull('--dry-run')).stdout).toContain('edited here: kept')
  const pruned = await pull('--prune')
  expect(pruned.stdout.match(/edited here: kept/g)).toHaveLength(2)
  expect(pruned.stdout.match(/deleted here;/g)).toHaveLength(1)
  const statuses = await Promise.all([edited, evidenced, same].map((url) => puller.get(url)))
  expect(statuses.map((answer) => answer.status)).toEqual([200, 200, 404])
  // Who wrote the first text, and under which licence, stays with the card.
  expect(statuses[0]?.body.origin).toMatchObject({ licence: 'MIT', changed_here: true })
  for (const url of [edited, evidenced]) await puller.delete(url)
})

/** Puts other bytes in the place of A's snapshot, as somebody who rules over its database or the way to it could. */
async function replaceSnapshot(bytes: Buffer): Promise<void> {
  await a.app.services.database.transaction(async (db) => {
    const { snapshot_id } = await db
      .selectFrom('library_snapshots')
      .select('snapshot_id')
      .orderBy('made_at', 'desc')
      .executeTakeFirstOrThrow()
    await db.deleteFrom('library_snapshot_parts').where('snapshot_id', '=', snapshot_id).execute()
    await db
      .updateTable('library_snapshots')
      .set({ size_bytes: bytes.length })
      .where('snapshot_id', '=', snapshot_id)
      .execute()
    const size = 192 * 1024
    for (let part = 0; part * size < bytes.length; part++)
      await db
        .insertInto('library_snapshot_parts')
        .values({
          snapshot_id,
          part,
          content: bytes.subarray(part * size, (part + 1) * size).toString('base64'),
        })
        .execute()
  })
}

test('whatever is changed on the way is refused, and nothing is imported', async () => {
  for (const word of ['gecko', 'marmot', 'tapir']) await publish(word, 'MIT')
  await nextSnapshot()
  const answer = await fetch(`${a.url}/library/snapshot.jsonl.zst`)
  const whole = Buffer.from(await answer.arrayBuffer())
  const lines = zstdDecompressSync(whole).toString('utf8').trimEnd().split('\n')
  const [head = '', one = '', two = '', three = '', ...rest] = lines
  const packed = (...texts: string[]) => zstdCompressSync(Buffer.from(`${texts.join('\n')}\n`))
  const last = JSON.parse(rest.at(-1) ?? '')
  const before = await pulled()
  const cases: [string, Buffer, string][] = [
    [
      'a tampered line',
      packed(head, one.replace('pool', 'pond'), two, three, ...rest),
      'does not match its hash',
    ],
    [
      'a tampered signature',
      packed(
        head,
        one,
        two,
        three,
        ...rest.slice(0, -1),
        JSON.stringify({ ...last, signature: Buffer.alloc(64).toString('base64') }),
      ),
      'signature',
    ],
    ['reordered lines', packed(head, two, one, three, ...rest), 'does not follow'],
    ['a truncated file', whole.subarray(0, whole.length - 20), 'cut short'],
    ['a bomb of one line', zstdCompressSync(Buffer.alloc(MAX_LINE_BYTES + 1, 'a')), 'more than'],
  ]
  for (const [what, bytes, message] of cases) {
    await replaceSnapshot(bytes)
    const refused = await pull()
    expect([what, refused.code, refused.stdout]).toEqual([what, 1, ''])
    expect(refused.stderr, what).toContain('nothing was imported')
    expect(refused.stderr, what).toContain(message)
  }
  expect(await pulled()).toEqual(before)
  await replaceSnapshot(whole)
  expect((await pull()).stdout).toContain('3 new')
}, 120_000)

test('a changed key stops the pull until the new one is named; an older snapshot never comes', async () => {
  const old = await fetch(`${a.url}/library/snapshot.jsonl.zst`)
  const former = Buffer.from(await old.arrayBuffer())
  await nextSnapshot()
  expect((await pull()).code).toBe(0)
  await replaceSnapshot(former)
  expect((await pull()).stderr).toContain('older than the one that was pulled before')

  await retireKey(contextFor(a.app.services))
  await nextSnapshot()
  const stopped = await pull()
  expect(stopped.code).toBe(1)
  expect(stopped.stderr).toContain('is not the one that was pinned at the first pull')
  const [, keyId = ''] = /--key (\w{64})/.exec(stopped.stderr) ?? []
  expect((await pull('--key', 'f'.repeat(64))).stderr).toContain('is not the one that you named')
  const accepted = await pull('--key', keyId)
  expect([accepted.stderr, accepted.code]).toEqual(['', 0])
  expect((await pull()).code).toBe(0)

  // A clock that was wrong for a moment would otherwise keep out every later snapshot.
  offsetMs = 48 * 3_600_000
  await nextSnapshot()
  expect((await pull()).stderr).toContain('which is to come')
})
