import { sql } from 'kysely'
import type { Database, Db, EngineName } from '../db.ts'
import { layOut } from '../lay-out.ts'
import { holdLock } from '../locks.ts'
import { foundation } from './0001-foundation.ts'
import { workspaces } from './0002-workspaces.ts'
import { cards } from './0003-cards.ts'
import { search } from './0004-search.ts'
import { memory } from './0005-memory.ts'
import { billing } from './0006-billing.ts'
import { support } from './0007-support.ts'
import { oauth } from './0008-oauth.ts'
import { scale } from './0009-scale.ts'
import { rewards } from './0010-rewards.ts'
import { postings } from './0011-postings.ts'
import { memoryIndex } from './0012-memory-index.ts'
import { memoryOwner } from './0013-memory-owner.ts'
import { liveCards } from './0014-live-cards.ts'
import { ownRows } from './0015-own-rows.ts'
import { realSettings } from './0016-real-settings.ts'
import { searchedEvidence } from './0017-searched-evidence.ts'
import { takingBack } from './0019-taking-back.ts'
import { emailChanges } from './0020-email-changes.ts'
import { notices } from './0022-notices.ts'
import { visibleCounts } from './0024-visible-counts.ts'
import { rewardedTexts } from './0025-rewarded-texts.ts'
import { reviewsAndComments } from './0026-reviews-and-comments.ts'
import { verdicts } from './0029-verdicts.ts'
import { cardLinks } from './0030-card-links.ts'
import { knownAddresses } from './0031-known-addresses.ts'
import { recall } from './0032-recall.ts'
import { mining } from './0033-mining.ts'
import { sharingAndOneBox } from './0034-sharing-and-one-box.ts'
import { cardImages } from './0035-card-images.ts'
import { team } from './0036-team.ts'
import { firstFiveMinutes } from './0037-first-five-minutes.ts'
import { listChanges } from './0038-list-changes.ts'
import { hiddenCards } from './0039-hidden-cards.ts'
import { moderation } from './0040-moderation.ts'
import { provenance } from './0041-provenance.ts'
import { keysForShards } from './0043-keys-for-shards.ts'
import { mattersByWorkspace } from './0044-matters-by-workspace.ts'
import { toldToStrangers } from './0045-told-to-strangers.ts'
import { consentsAndInvitations } from './0046-consents-and-invitations.ts'
import { leftAddresses } from './0047-left-addresses.ts'
import { disputes } from './0048-disputes.ts'
import { normalTags } from './0049-normal-tags.ts'
import { ownFeedback } from './0050-own-feedback.ts'
import { oneUnreadNotice } from './0051-one-unread-notice.ts'
import { plainLetters } from './0052-plain-letters.ts'
import { mailsByRecipient } from './0053-mails-by-recipient.ts'
import { publishedFrom } from './0054-published-from.ts'
import { refundsAreNotSpent } from './0055-refunds-are-not-spent.ts'
import { standingVerdicts } from './0056-standing-verdicts.ts'
import { deletedAccounts } from './0057-deleted-accounts.ts'
import { openMatters } from './0058-open-matters.ts'
import { decidedByService } from './0059-decided-by-service.ts'
import { linksOfPerson } from './0060-links-of-person.ts'
import { roomForCounts } from './0061-room-for-counts.ts'
import { textUsage } from './0062-text-usage.ts'
import { teamTrust } from './0063-team-trust.ts'
import { serverSecret } from './0064-server-secret.ts'
import { appliedNames, NoVault, refuseOtherProgram } from './whose-tables.ts'

export type Migration = {
  name: string
  /** The statements, in order. What differs between the engines is decided inside, in a marked block. */
  statements: (engine: EngineName) => string[]
  /** Data that a statement cannot make. */
  data?: (db: Db, engine: EngineName) => Promise<void>
}

/** Forward only, in this order, each applied once. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  workspaces,
  cards,
  search,
  memory,
  billing,
  support,
  oauth,
  scale,
  rewards,
  postings,
  memoryIndex,
  memoryOwner,
  liveCards,
  ownRows,
  notices,
  takingBack,
  emailChanges,
  visibleCounts,
  rewardedTexts,
  reviewsAndComments,
  verdicts,
  cardLinks,
  knownAddresses,
  realSettings,
  searchedEvidence,
  recall,
  mining,
  sharingAndOneBox,
  cardImages,
  team,
  firstFiveMinutes,
  listChanges,
  hiddenCards,
  moderation,
  provenance,
  keysForShards,
  mattersByWorkspace,
  toldToStrangers,
  consentsAndInvitations,
  leftAddresses,
  disputes,
  normalTags,
  ownFeedback,
  oneUnreadNotice,
  plainLetters,
  mailsByRecipient,
  publishedFrom,
  refundsAreNotSpent,
  standingVerdicts,
  deletedAccounts,
  openMatters,
  decidedByService,
  linksOfPerson,
  roomForCounts,
  textUsage,
  teamTrust,
  serverSecret,
]

export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
}

/** For programs that must not migrate. */
export class SchemaTooOld extends Error {
  override readonly name = 'SchemaTooOld'
}

function refuseNewer(applied: ReadonlySet<string>, migrations: typeof MIGRATIONS): void {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new SchemaTooNew(
      `The database was written by a newer version of this program (it has ${unknown.join(', ')}). Start that version, or restore a backup made before the upgrade.`,
    )
}

async function beginVault(db: Db, engine: EngineName): Promise<void> {
  await refuseOtherProgram(db, engine)
  await sql
    .raw('create table if not exists schema_migrations (name text primary key, applied_at text not null)')
    .execute(db)
}

/** Brings the database to the present schema, and on a cluster also its tables to their nodes; returns the names of what was applied. */
export async function migrate(database: Database): Promise<string[]> {
  const applied = await applyMigrations(database)
  if (database.isDistributed) await layOut(database)
  return applied
}

/** Applies what is pending, all or nothing, under a lock. */
export function applyMigrations(database: Database, migrations = MIGRATIONS): Promise<string[]> {
  return database.transaction(
    async (db) => {
      await holdLock(db, database.engine, 'migration')
      const applied = await appliedNames(db, database.engine)
      if (applied.size === 0) await beginVault(db, database.engine)
      refuseNewer(applied, migrations)
      const pending = migrations.filter((migration) => !applied.has(migration.name))
      for (const migration of pending) {
        for (const statement of migration.statements(database.engine)) await sql.raw(statement).execute(db)
        await migration.data?.(db, database.engine)
        await db
          .insertInto('schema_migrations')
          .values({ name: migration.name, applied_at: new Date().toISOString() })
          .execute()
      }
      return pending.map((migration) => migration.name)
    },
    // Large tables take their time, and so does waiting for another process that migrates.
    { isolation: 'read committed', mayTakeLong: true },
  )
}

/** What has been applied already; nothing on a database that was never migrated. */
export const appliedMigrations = async ({ read, engine }: Database): Promise<string[]> => [
  ...(await appliedNames(read, engine)),
]

export async function pendingMigrations(db: Db): Promise<number> {
  const rows = await db.selectFrom('schema_migrations').select('name').execute()
  const applied = new Set(rows.map((row) => row.name))
  return MIGRATIONS.filter((migration) => !applied.has(migration.name)).length
}

/** For a program that reads the tables as this version has them, and leaves the schema as it is. */
export async function requirePresentSchema(database: Database): Promise<void> {
  const applied = await appliedNames(database.read, database.engine)
  // Otherwise a mistyped address would fill a database of something else with the tables of a vault.
  if (applied.size === 0) throw new NoVault()
  refuseNewer(applied, MIGRATIONS)
  if (applied.size < MIGRATIONS.length)
    throw new SchemaTooOld('This vault is of an older version. Make a backup, then start the service once.')
}
