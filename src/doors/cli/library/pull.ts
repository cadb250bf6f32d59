import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CardLine, publicKeyOf, SNAPSHOT_PATH } from '../../../features/library-sharing/format.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { requireWorkspaceId } from '../given-options.ts'
import { KVAULT } from '../own-copy.ts'
import { type Profile, requireProfile } from '../profile.ts'
import { print, printJson } from '../terminal.ts'
import { ask, failure } from '../vault-client.ts'
import { download, serverUrl } from './download.ts'
import { pinOf, savePin } from './pins.ts'
import { isTold, printReport, type Report } from './pull-report.ts'
import { BadSnapshot, canUnpack, type Expected, readSnapshot, type SnapshotFile } from './read-snapshot.ts'
import {
  type Pulled,
  pulledBefore,
  removeUnchanged,
  sendCards,
  type Taken,
  type Target,
} from './send-cards.ts'
import { type ServerKey, serverKey } from './server-key.ts'

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

/** Verifies the whole snapshot before anything is used. Returns the ids in it and when it was made. */
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

const LONGEST_AHEAD_MS = 24 * 3_600_000

/**
 * An older snapshot has a valid signature too, but it would bring back cards that were taken back since. One from the
 * future would be followed by none until then.
 */
function requireTimely(madeAt: string, { pin }: ServerKey): void {
  if (Date.parse(madeAt) > Date.now() + LONGEST_AHEAD_MS)
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
  // A first pull may bring a million cards, so a terminal shows only those that need attention.
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
