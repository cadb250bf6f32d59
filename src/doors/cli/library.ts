import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CardLine, publicKeyOf, SNAPSHOT_PATH } from '../../shared/library-snapshot.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { requireWorkspaceId } from './input.ts'
import {
  BadSnapshot,
  canUnpack,
  download,
  type Expected,
  pinOf,
  readSnapshot,
  type ServerKey,
  type SnapshotFile,
  savePin,
  serverKey,
  serverUrl,
} from './library-download.ts'
import { KVAULT } from './local-files.ts'
import { type Profile, requireProfile } from './profile.ts'
import { plain, print, printJson } from './terminal.ts'
import { ask, failure, type Reply } from './vault-client.ts'

const MAX_CARDS = 50
/** Limit in bytes, below the vault's limit for a request. */
const MAX_BATCH_BYTES = 6 * 1024 * 1024
const SEND_TIMEOUT_MS = 300_000
const MAX_WAITS = 20

type Taken = {
  origin_card_id: string
  title: string
  outcome: string
  card_id?: string
  reasons?: { rule: string; message: string }[]
  similar?: { card_id: string; title: string; similarity: number }[]
}

type Target = { profile: Profile; workspaceId: string; server: string; isDry: boolean }

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function patiently(call: () => Promise<Reply>): Promise<Reply> {
  for (let waits = 0; ; waits++) {
    const reply = await call()
    if (![429, 503].includes(reply.status) || waits === MAX_WAITS) return reply
    await pause(1000 * Math.min(60, Number(reply.headers['retry-after']) || 1))
  }
}

const post = ({ profile, workspaceId, server, isDry }: Target, cards: readonly CardLine[]): Promise<Reply> =>
  patiently(() =>
    ask(profile.url, '/api/v1/library/import', {
      body: {
        workspace_id: workspaceId,
        server,
        dry_run: isDry,
        cards: cards.map(({ prev: _, ...card }) => card),
      },
      isVerbatim: true,
      headers: { 'x-api-key': profile.apiKey },
      timeoutMs: SEND_TIMEOUT_MS,
      shape: { items: [] },
    }),
  )

/** Sends the cards of a refused batch one by one, so that one bad card does not block the others. */
async function sendEach(target: Target, cards: readonly CardLine[]): Promise<Taken[]> {
  const taken: Taken[] = []
  for (const card of cards) {
    const reply = await post(target, [card])
    if (reply.status === 200) taken.push(...(reply.body as { items: Taken[] }).items)
    else if (isAboutCards(reply))
      taken.push({
        origin_card_id: card.card_id,
        title: String(card.card.title),
        outcome: 'blocked',
        reasons: [{ rule: 'invalid', message: failure(reply).message }],
      })
    else throw failure(reply)
  }
  return taken
}

const isAboutCards = ({ status, body }: Reply): boolean => {
  const { detail } = (body ?? {}) as { detail?: unknown }
  return status === 422 && Array.isArray(detail) && detail.every((issue) => issue?.loc?.[1] === 'cards')
}

async function send(target: Target, cards: readonly CardLine[]): Promise<Taken[]> {
  const reply = await post(target, cards)
  if (reply.status === 200) return (reply.body as { items: Taken[] }).items
  if (reply.status === 404 && reply.body && (reply.body as { code?: string }).code !== 'not_found')
    throw new CommandError(`${target.profile.url} cannot take in snapshots. It needs a newer version.`)
  if (isAboutCards(reply)) return sendEach(target, cards)
  throw failure(reply)
}

/** Sends cards in batches and yields each card's result. */
async function* sendCards(target: Target, cards: AsyncIterable<CardLine>): AsyncGenerator<Taken> {
  let batch: CardLine[] = []
  let bytes = 0
  for await (const card of cards) {
    const size = Buffer.byteLength(JSON.stringify(card))
    if (batch.length === MAX_CARDS || (batch.length > 0 && bytes + size > MAX_BATCH_BYTES)) {
      yield* await send(target, batch)
      batch = []
      bytes = 0
    }
    batch.push(card)
    bytes += size
  }
  if (batch.length > 0) yield* await send(target, batch)
}

type Pulled = {
  card_id: string
  origin_card_id: string
  version: number
  title: string
  card_version?: number
  changed_here?: boolean
}

const PAGE = 500

/** Returns the cards of earlier pulls, by their ids on the other server. */
async function pulledBefore({ profile, workspaceId, server }: Target): Promise<Map<string, Pulled>> {
  const known = new Map<string, Pulled>()
  for (let after = ''; ; ) {
    const query = new URLSearchParams({ workspace_id: workspaceId, server, ...(after ? { after } : {}) })
    const reply = await patiently(() =>
      ask(profile.url, `/api/v1/library/pulled?${query}`, {
        headers: { 'x-api-key': profile.apiKey },
        shape: { items: [{ origin_card_id: '' }] },
      }),
    )
    if (reply.status !== 200) throw failure(reply)
    const { items } = reply.body as { items: Pulled[] }
    for (const item of items) known.set(item.origin_card_id, item)
    if (items.length < PAGE) return known
    after = items.at(-1)?.origin_card_id ?? ''
  }
}

/** A card that the other library no longer has, and its result here. */
type Withdrawn = {
  card_id: string
  title: string
  removed: boolean
  changed_here: boolean
  reason?: string
}

/** The request names the version, so that a simultaneous edit is kept. */
async function removeUnchanged({ profile }: Target, card: Pulled): Promise<Withdrawn> {
  const { card_id, title, card_version, changed_here = false } = card
  if (changed_here) return { card_id, title, removed: false, changed_here }
  const reply = await patiently(() =>
    ask(profile.url, `/api/v1/cards/${card_id}`, {
      method: 'DELETE',
      headers: {
        'x-api-key': profile.apiKey,
        ...(card_version === undefined ? {} : { 'if-match': `"${card_version}"` }),
      },
    }),
  )
  if (reply.status === 204) return { card_id, title, removed: true, changed_here: false }
  if (reply.status === 412) return { card_id, title, removed: false, changed_here: true }
  return { card_id, title, removed: false, changed_here: false, reason: failure(reply).message }
}

type Report = {
  server: string
  dryRun: boolean
  counts: Record<string, number>
  items: Taken[]
  withdrawn: Withdrawn[]
}

const WORDS: Record<string, string> = {
  created: 'new',
  updated: 'updated',
  unchanged: 'as before',
  duplicate: 'already here, with the same content',
  edited_here: 'newer there, but edited here: left alone',
  deleted_here: 'deleted here: not brought back',
  own: 'originally from this vault',
  blocked: 'kept out by the review',
  damaged: 'damaged',
}

const MAX_NAMED = 20

function printNamed(items: readonly Taken[]): void {
  for (const { title, outcome, reasons, similar } of items.slice(0, MAX_NAMED)) {
    print(`  ${plain(title)}: ${WORDS[outcome] ?? outcome}`)
    for (const { message } of (reasons ?? []).slice(0, 3)) print(`    ${plain(message, 200)}`)
    for (const near of similar ?? [])
      print(`    near: ${plain(near.title)} (${near.card_id}, ${Math.round(100 * near.similarity)} %)`)
  }
  if (items.length > MAX_NAMED) print(`  and ${items.length - MAX_NAMED} more; --json lists all`)
}

/** Whether a card is listed: it needs attention. New and updated cards are only counted. */
const isTold = ({ outcome, similar }: Taken): boolean =>
  !['created', 'updated', 'unchanged', 'own'].includes(outcome) || similar !== undefined

function fateOf({ removed, changed_here, reason }: Withdrawn): string {
  if (removed) return ', deleted here; it can be brought back for 30 days'
  if (changed_here) return ', edited here: kept'
  return reason === undefined ? '' : `, not deleted: ${plain(reason, 200)}`
}

function printReport(report: Report, isPruned: boolean): void {
  const total = Object.values(report.counts).reduce((sum, count) => sum + count, 0)
  print(`${report.dryRun ? 'Would pull from' : 'Pulled from'} ${report.server}: ${total} cards, verified.`)
  for (const [outcome, count] of Object.entries(report.counts))
    print(`  ${count} ${WORDS[outcome] ?? outcome}`)
  if (report.items.length > 0) print('Look at these:')
  printNamed(report.items)
  if (report.withdrawn.length === 0) return
  print('No longer in the library there:')
  for (const card of report.withdrawn.slice(0, MAX_NAMED))
    print(`  ${plain(card.title)} (${card.card_id})${fateOf(card)}`)
  if (report.withdrawn.length > MAX_NAMED)
    print(`  and ${report.withdrawn.length - MAX_NAMED} more; --json lists all`)
  if (!isPruned)
    print(
      'They stay here. --prune deletes those that nobody has edited here; they can be brought back for 30 days.',
    )
}

export type PullOptions = {
  url?: string
  apiKey?: string
  workspace?: string
  dryRun?: boolean
  key?: string
  prune?: boolean
  http?: boolean
  json?: boolean
}

async function personalWorkspace({ url, apiKey }: Profile): Promise<string> {
  const reply = await ask(url, '/api/v1/auth/me', {
    headers: { 'x-api-key': apiKey },
    shape: { personal_workspace_id: '' },
  })
  if (reply.status !== 200) throw failure(reply)
  return (reply.body as { personal_workspace_id: string }).personal_workspace_id
}

/** Verifies the whole snapshot before any use; returns its ids and its time. */
async function verified(
  file: SnapshotFile,
  expected: Expected,
): Promise<{ ids: Set<string>; madeAt: string }> {
  const ids = new Set<string>()
  const lines = readSnapshot(file, expected)
  for (;;) {
    const { value, done } = await lines.next()
    if (done) return { ids, madeAt: value.made_at }
    if (ids.has(value.card_id)) throw new BadSnapshot(`card ${value.card_id} is in it twice.`)
    ids.add(value.card_id)
  }
}

function expectedFrom(server: string, { pin }: ServerKey): Expected {
  return {
    server,
    keyOf: (keyId) => {
      if (keyId !== pin.keyId) throw new BadSnapshot(`it is signed by another key, ${keyId}.`)
      return publicKeyOf(pin.publicKey)
    },
  }
}

const MAX_AHEAD_MS = 24 * 3_600_000

/** Refuses a snapshot older than the last one (replay) or from the future (it would block later ones). */
function requireTimely(madeAt: string, { pin }: ServerKey): void {
  if (Date.parse(madeAt) > Date.now() + MAX_AHEAD_MS)
    throw new BadSnapshot(`it was made at ${madeAt}, which is to come. Is the clock of one of the two wrong?`)
  if (pin.madeAt !== undefined && madeAt < pin.madeAt)
    throw new BadSnapshot(
      `it was made at ${madeAt} and is older than the one that was pulled before (${pin.madeAt}).`,
    )
}

/** Skips cards that the vault already has in this version. */
async function* unknownOf(
  lines: AsyncIterable<CardLine>,
  known: Map<string, { version: number }>,
  report: Report,
) {
  for await (const line of lines) {
    const before = known.get(line.card_id)
    if (!before || before.version < line.version) yield line
    else report.counts.unchanged = (report.counts.unchanged ?? 0) + 1
  }
}

async function takeIn(
  target: Target,
  file: SnapshotFile,
  expected: Expected,
  { ids, isKept }: { ids: Set<string>; isKept: (taken: Taken) => boolean },
): Promise<{ report: Report; gone: Pulled[] }> {
  const report: Report = { server: target.server, dryRun: target.isDry, counts: {}, items: [], withdrawn: [] }
  const known = await pulledBefore(target)
  for await (const taken of sendCards(target, unknownOf(readSnapshot(file, expected), known, report))) {
    report.counts[taken.outcome] = (report.counts[taken.outcome] ?? 0) + 1
    if (isKept(taken)) report.items.push(taken)
  }
  const gone = [...known.values()].filter((card) => !ids.has(card.origin_card_id))
  report.withdrawn = gone.map(({ card_id, title, changed_here = false }) => ({
    card_id,
    title,
    removed: false,
    changed_here,
  }))
  return { report, gone }
}

async function prune(target: Target, report: Report, gone: readonly Pulled[]): Promise<void> {
  report.withdrawn = []
  for (const card of gone) report.withdrawn.push(await removeUnchanged(target, card))
}

async function pullInto(folder: string, target: Target, options: PullOptions): Promise<Report> {
  const { server } = target
  const key = await serverKey(server, pinOf(server), options.key)
  if (key.isNew && !options.json)
    print(
      `The key of ${server}:\n  ${key.pin.keyId}\nAsk its operators for their key by another channel, and compare.`,
    )
  const isPacked = canUnpack()
  const path = join(folder, 'snapshot')
  await download(`${server}${SNAPSHOT_PATH}${isPacked ? '.zst' : ''}`, path)
  const file: SnapshotFile = { path, bytes: (await stat(path)).size, isPacked }
  const expected = expectedFrom(server, key)
  const { ids, madeAt } = await verified(file, expected)
  requireTimely(madeAt, key)
  // A first pull may bring a million cards, so a terminal lists only those that need attention.
  const isKept = options.json ? () => true : isTold
  const { report, gone } = await takeIn(target, file, expected, { ids, isKept })
  if (target.isDry) return report
  if (options.prune) await prune(target, report, gone)
  savePin(server, { ...key.pin, madeAt })
  return report
}

export async function library(verb: string, source: string, options: PullOptions): Promise<number> {
  if (verb !== 'pull')
    throw new CommandError(
      `library has no command ${verb}. Use: ${KVAULT} library pull <server>.`,
      EXIT.usage,
    )
  requireWorkspaceId(options.workspace)
  const server = serverUrl(source, options.http === true)
  const profile = requireProfile({
    ...(options.url === undefined ? {} : { url: options.url }),
    ...(options.apiKey === undefined ? {} : { key: options.apiKey }),
  })
  if (profile.url === server)
    throw new CommandError(`${server} is your own vault. It already has these cards.`)
  const workspaceId = options.workspace ?? (await personalWorkspace(profile))
  const folder = await mkdtemp(join(tmpdir(), 'kvault-pull-'))
  try {
    const target: Target = { profile, workspaceId, server, isDry: options.dryRun === true }
    const report = await pullInto(folder, target, options)
    if (options.json) printJson(report)
    else printReport(report, options.prune === true)
    return EXIT.done
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
