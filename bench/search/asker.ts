import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ctx, contextFor } from '../../src/core/context.ts'
import type { EngineName } from '../../src/db/db.ts'
import type { SearchScope } from '../../src/features/search/scope.ts'
import { type Collection, titleOf } from './collections.ts'
import { loadCards } from './load.ts'
import { type Account, type BenchVault, openVault, register, signIn } from './vault.ts'

/** A vault that holds a collection as the cards of one person. */
export type FilledVault = {
  vault: BenchVault
  ctx: Ctx
  owner: Account
  scope: SearchScope
  /** The collection's own name of a card. */
  nameOf: (cardId: string) => string
}

/** A named folder is kept, and filled only once. */
export async function fillVault(
  engine: EngineName,
  collection: Collection,
  kept?: string,
): Promise<FilledVault> {
  const vault = await openVault(engine, kept)
  const names = await namesIn(vault, collection, kept)
  const owner = (await signIn(vault.app, 'evaluator')) as Account
  return {
    vault,
    ctx: contextFor(vault.app.services),
    owner,
    scope: {
      viewerId: owner.userId,
      scope: 'personal',
      workspaceIds: [],
      tags: [],
      environment: {},
      track: undefined,
    },
    nameOf: (cardId) => names.get(cardId) ?? '',
  }
}

async function namesIn(
  { app }: BenchVault,
  { texts }: Collection,
  kept?: string,
): Promise<Map<string, string>> {
  const file = kept && join(kept, 'names.json')
  if (file && existsSync(file)) return new Map(JSON.parse(readFileSync(file, 'utf8')))
  const owner = await register(app, 'evaluator')
  const cards = texts.map((text) => ({
    title: titleOf(text),
    symptom: text.text,
    fix_summary: '',
    root_cause: '',
    tags: [],
    environment: {},
  }))
  const names = new Map<string, string>()
  const target = { ownerId: owner.userId, workspaceId: owner.workspaceId, status: 'unpublished' as const }
  await loadCards(app.services, cards, () => target, {
    onCard: (cardId, i) => names.set(cardId, texts[i]?._id ?? ''),
  })
  if (file) writeFileSync(file, JSON.stringify([...names]))
  return names
}
