import type { Insertable } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { invalid, notFound } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { AnswerId, LicenceId, Page, pageOf, Time } from '../../core/schemas.ts'
import { fromJson, toJson, toJsonOrNull } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { CardsTable } from '../../db/knowledge-schema.ts'
import type { UsersTable } from '../../db/schema.ts'
import {
  changedFields,
  columnsOf,
  contentOf,
  contentOfVersion,
  secretsInContent,
  secretsInEvidences,
  warningsFor,
} from '../../shared/card-checks.ts'
import type { CardContent } from '../../shared/card-fields.ts'
import { readCites } from '../../shared/cites.ts'
import { contentHash } from '../../shared/library-snapshot.ts'
import { homeOfCredential, requireUser, sharingTeamOf } from '../identity/index.ts'
import { hasRole, isBanned, requireMayPublish, requireRole, roleIn } from '../permissions/index.ts'
import { chargeText, rowsOfCard, textBytes, writeText } from '../storage/index.ts'
import {
  type CardAnswer,
  CardId,
  type CardWarning,
  CaseContent,
  CaseCreate,
  type CaseCreateInput,
  CaseResponse,
  CaseUpdate,
  type CaseUpdateInput,
  type EvidenceInput,
  MAX_BODY_BYTES,
  RecordTool,
  type StoredOrigin,
  UpdateTool,
} from './card.ts'
import { type CardWords, indexCards, indexedCards, refilterCards, wordsOfCard } from './card-index.ts'
import { attachNamedImages } from './images.ts'
import type { CardRow, StoredCard } from './list.ts'
import { editedColumns, presentCard, thinRecord, thinUpdate } from './present.ts'
import { editableUnmerged, markSuccession } from './read.ts'
import { type Reviewed, refuseUnsafe, review, reviewAhead, reviewColumns, withApproval } from './review.ts'
import {
  appendEvidences,
  cardIfReadable,
  cardWithHistory,
  evidenceTexts,
  findVersions,
  insertCard,
  keepVersion,
  lockCard,
  nameOf,
  readableCard,
  replaceTags,
  SEARCHED_PIECES,
  searchedParts,
  updateCardRow,
  type VersionRow,
} from './store.ts'
import { homeOfNew } from './visibility.ts'

export async function saved(ctx: UserCtx, cardId: string, words?: CardWords): Promise<CardAnswer> {
  return indexed(ctx, await readableCard(ctx, cardId), words)
}

/** Ends a write that leaves the texts of the card unchanged. */
export async function savedState(ctx: UserCtx, cardId: string): Promise<CardAnswer> {
  const row = await readableCard(ctx, cardId)
  await refilterCards(ctx, [row], { publicWorkspaces: publicOf(row) })
  return presentCard(row, ctx.now())
}

/** Ends the insertion of a card: indexes the card and returns it to its owner. */
async function savedNew(
  ctx: UserCtx,
  stored: StoredCard,
  ownerName: string,
  words?: CardWords,
): Promise<CardAnswer> {
  const home = await homeOfNew(ctx.db, ctx.viewer.userId, stored.workspace_id)
  if (!home) throw notFound('Workspace')
  const row: CardRow = {
    ...stored,
    ...home,
    owner_name: ownerName,
    owner_deleted_at: null,
    whose: stored.origin === null ? 'you' : 'public',
    team_id: null,
    may_update: 1,
    known_since: null,
    known_from_version: 1,
    may_read_history: 1,
    may_delete: 1,
  }
  return indexed(ctx, row, words)
}

const publicOf = (row: CardRow): Set<string> =>
  new Set(row.workspace_visibility === 'public' ? [row.workspace_id] : [])

const LEFT_OUT =
  'This card has more different words than search keeps. Search does not find some words of its root cause, steps, environment, body, notes or evidence; the text filter of lists does. Split the card to make all of it searchable.'

async function indexed(ctx: UserCtx, row: CardRow, words: CardWords | undefined): Promise<CardAnswer> {
  const partial = await indexCards(ctx, await indexedCards(ctx.db, [row]), {
    publicWorkspaces: publicOf(row),
    counted: new Map(words ? [[row.card_id, words]] : []),
  })
  return { ...presentCard(row, ctx.now()), ...(partial.size > 0 ? { search_note: LEFT_OUT } : {}) }
}

const HOME_LOST =
  'You can no longer write in the default workspace of this API key, so the card is in your personal workspace.'

/** `isShared`: its person agreed to share what this credential records there. */
type Target = { workspaceId: string; isShared: boolean; note?: string }

async function targetOf(
  ctx: UserCtx,
  user: UsersTable,
  workspaceId: string | null | undefined,
): Promise<Target> {
  const team = await sharingTeamOf(ctx, user)
  if (workspaceId != null) {
    const { workspace } = await requireRole(ctx, workspaceId, 'editor')
    return { workspaceId: workspace.workspace_id, isShared: workspace.workspace_id === team }
  }
  if (team !== null && ctx.viewer.credential.kind !== 'session') return { workspaceId: team, isShared: true }
  const home = await homeOfCredential(ctx)
  if (home !== null && hasRole(await roleIn(ctx, home), 'editor'))
    return { workspaceId: home, isShared: false }
  const note = home === null ? {} : { note: HOME_LOST }
  return { workspaceId: user.personal_workspace_id, isShared: false, ...note }
}

const KEPT_PRIVATE = 'Not shared with the team; it is in your personal workspace.'

const keptPrivate = (field: string, kind: string, message: string): CardWarning => ({
  code: 'not_shared',
  field,
  kind,
  message: `${message} ${KEPT_PRIVATE}`,
})

/** Returns what keeps a new card from being shared unread. Danger counts also where a person may share it. */
const reasonsToKeep = ({ secrets, reasons }: Reviewed): CardWarning[] => [
  ...secrets.map(({ field, kind }) =>
    keptPrivate(field, kind, `${field} looks like it contains a secret (${kind}).`),
  ),
  ...reasons
    .filter(({ rule, severity }) => severity === 'block' && rule !== 'no_secrets')
    .map(({ field = '', rule, message }) => keptPrivate(field, rule, message)),
]

type Shared = { stored: StoredCard; warnings: CardWarning[]; note?: string }

/** Shares a new card with its team. A card that is unsafe goes to its owner's personal workspace instead. */
async function shareNew(ctx: UserCtx, stored: StoredCard, user: UsersTable): Promise<Shared> {
  const { card_id, workspace_id } = stored
  const now = ctx.now().toISOString()
  const verdict = await review(ctx, stored, contentOf(stored), stored.evidence_count)
  const isBannedThere = await isBanned(ctx, { workspace_id, visibility: 'private' })
  const warnings = isBannedThere
    ? [keptPrivate('', 'publishing_banned', 'Moderators have banned you from publishing there.')]
    : reasonsToKeep(verdict)
  if (warnings.length > 0) {
    const home = user.personal_workspace_id
    const change = { workspace_id: home, origin_workspace_id: home }
    await updateCardRow(ctx.db, card_id, change)
    return { stored: { ...stored, ...change }, warnings, note: KEPT_PRIVATE }
  }
  const change = {
    ...reviewColumns(verdict, now),
    status: 'published' as const,
    published_at: now,
    content_hash: contentHash(contentOf(stored)),
    version_published_at: now,
  }
  await updateCardRow(ctx.db, card_id, change)
  await emit(ctx, 'card.published', {
    cardId: card_id,
    workspaceId: workspace_id,
    isJudged: false,
    way: 'shared',
    fromWorkspaceId: workspace_id,
    licence: null,
  })
  return { stored: { ...stored, ...change }, warnings }
}

type CardOrigin = { source_event_id?: string; sample?: string } & Partial<
  Pick<
    Insertable<CardsTable>,
    | 'scope_notes'
    | 'origin'
    | 'origin_key'
    | 'content_hash'
    | 'version_published_at'
    | 'status'
    | 'published_at'
    | 'review_status'
    | 'review_score'
    | 'review_reasons'
    | 'reviewed_at'
  >
>

const bytesOfEvidences = (evidences: CaseCreateInput['evidences']): number =>
  evidences.reduce(
    (sum, { content, meta }) => sum + textBytes('card_evidences', { content, meta: toJsonOrNull(meta) }),
    0,
  )

export async function analyseNewCard(
  { work }: UserCtx,
  { evidences, ...content }: CaseCreateInput,
  scope_notes: string | null = null,
): Promise<CardWords> {
  await secretsInContent(work, { ...content, scope_notes })
  await secretsInEvidences(work, evidences)
  const searched = evidences.slice(0, SEARCHED_PIECES).map((evidence) => evidence.content)
  return wordsOfCard({ ...content, scope_notes, evidence_texts: searchedParts(searched) }, work)
}

/** Writes the card in the caller's transaction. `words` come from `analyseNewCard`. */
export async function record(
  ctx: UserCtx,
  input: CaseCreateInput,
  origin: CardOrigin = {},
  words?: CardWords,
): Promise<CardAnswer> {
  const { workspace_id, evidences, ...given } = input
  const user = await requireUser(ctx, ctx.viewer.userId)
  const { workspaceId, isShared, note } = await targetOf(ctx, user, workspace_id)
  const content = { ...given, scope_notes: origin.scope_notes ?? null }
  const card_id = newId()
  const owner = user.user_id
  const now = ctx.now().toISOString()
  const row: Insertable<CardsTable> = {
    card_id,
    owner_id: owner,
    workspace_id: workspaceId,
    origin_workspace_id: workspaceId,
    status: 'unpublished',
    version: 1,
    ...columnsOf(content),
    cites: toJson(readCites(content)),
    evidence_count: evidences.length,
    ...origin,
    created_at: now,
    updated_at: now,
    edited_at: now,
    edited_by: owner,
    edited_fields: toJson([]),
    recorded_with: ctx.viewer.credential.kind,
  }
  await chargeText(ctx, textBytes('cards', row) + bytesOfEvidences(evidences))
  const stored = await insertCard(ctx.db, row, content.tags)
  await attachNamedImages(ctx, card_id, content)
  const inEvidence = await appendEvidences(ctx.db, evidences, {
    cardId: card_id,
    present: 0,
    version: 1,
    addedBy: owner,
    now,
    work: ctx.work,
  })
  const shared: Shared =
    isShared && origin.origin === undefined && origin.sample === undefined
      ? await shareNew(ctx, stored, user)
      : { stored, warnings: [] }
  const home_note = shared.note ?? note
  const secrets = warningsFor([...(await secretsInContent(ctx.work, content)), ...inEvidence])
  return {
    ...(await savedNew(ctx, shared.stored, user.display_name, words)),
    warnings: [...secrets, ...shared.warnings],
    credits_earned: 0,
    ...(home_note ? { home_note } : {}),
  }
}

export const recordCard = capability({
  name: 'cards.record',
  summary: 'Record a new card; it stays unpublished, unless its person chose to share what is recorded',
  description:
    'The card is private to its workspace until it is shared or published. Without workspace_id it goes to the default workspace of the API key, if it has one, else to the personal workspace; another workspace needs the role editor or admin. If the person chose to share what this credential records with a private team (share_recorded of the key or the settings), the card is recorded there and shared in the same step; one with a secret or a blocking danger stays private, and warnings say why.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards', 'POST /api/v1/cases'],
  status: 201,
  tool: {
    name: 'record_card',
    description: 'Save a solved problem, decision or how-to as a private card.',
    input: RecordTool,
    thin: thinRecord,
  },
  input: CaseCreate,
  output: CaseResponse,
  errors: [404, 413],
  maxBodyBytes: MAX_BODY_BYTES,
  prepare: analyseNewCard,
  run: (ctx, input, words) => inTx(ctx, (ctx) => record(ctx, input, {}, words), { twoAtOnce: true }),
})

/** Evidence is never removed, so it needs a limit. */
const MAX_EVIDENCES = 1000

function refuseTooMuchEvidence(row: CardRow, added: number): void {
  if (added > 0 && row.evidence_count + added > MAX_EVIDENCES)
    throw invalid(
      'evidences',
      `A card has at most ${MAX_EVIDENCES} pieces of evidence; this one has ${row.evidence_count}`,
      'too_long',
    )
}

const rowsOfEdit = ({ card_id, version: former }: CardRow, version: number) => [
  rowsOfCard('cards', card_id),
  rowsOfCard('card_versions', card_id, 'version', former),
  rowsOfCard('card_evidences', card_id, 'added_in_version', version),
]

export async function edit(
  ctx: UserCtx,
  row: CardRow,
  change: Partial<CardContent>,
  evidences: readonly EvidenceInput[] = [],
  words?: CardWords,
): Promise<CardAnswer> {
  const before = contentOf(row)
  const after = { ...before, ...change }
  const fields: string[] = changedFields(before, after)
  if (evidences.length > 0) fields.push('evidences')
  if (fields.length === 0) {
    const { secrets } = await review(ctx, row, before, row.evidence_count, before)
    return { ...presentCard(row, ctx.now()), changed: [], warnings: warningsFor(secrets) }
  }

  // Others read the change at once, so the editor needs the permission to publish.
  if (row.status === 'published')
    await requireMayPublish(ctx, { workspace_id: row.workspace_id, visibility: row.workspace_visibility })
  const now = ctx.now().toISOString()
  const version = row.version + 1
  const evidence_count = row.evidence_count + evidences.length
  refuseTooMuchEvidence(row, evidences.length)
  // The card's own row is written first, so that concurrent writers wait there and not at a unique index.
  await writeText(ctx, rowsOfEdit(row, version), async () => {
    await updateCardRow(ctx.db, row.card_id, {
      ...columnsOf(after),
      ...(row.cites_are_written === 1 ? {} : { cites: toJson(readCites(after)) }),
      ...editedColumns(row, after, fields[0] !== 'evidences', now),
      version,
      evidence_count,
      updated_at: now,
      edited_at: now,
      edited_by: ctx.viewer.userId,
      edited_fields: toJson(fields),
    })
    await keepVersion(ctx.db, row, before)
    await appendEvidences(ctx.db, evidences, {
      cardId: row.card_id,
      present: row.evidence_count,
      version,
      addedBy: ctx.viewer.userId,
      now,
      work: ctx.work,
    })
  })
  await attachNamedImages(ctx, row.card_id, after)
  const verdict = await review(ctx, row, after, evidence_count, before)
  if (row.status === 'published') refuseUnsafe(verdict)
  const reviewed = reviewColumns(verdict, now)
  await updateCardRow(ctx.db, row.card_id, reviewed)
  if (row.status === 'published' && reviewed.review_status !== row.review_status)
    await markSuccession(ctx.db, row.card_id)
  await emit(ctx, 'card.updated', { cardId: row.card_id, fields, isJudged: row.trust !== null })
  if (fields.includes('tags')) await replaceTags(ctx.db, row.card_id, after.tags)
  return {
    ...(await saved(ctx, row.card_id, words)),
    changed: fields,
    warnings: warningsFor(verdict.secrets),
  }
}

/** Counts the words that a card will have, before the transaction that changes it. */
async function wordsAfter(
  ctx: UserCtx,
  row: CardRow,
  change: Partial<CardContent>,
  evidences: readonly EvidenceInput[] = [],
): Promise<CardWords> {
  const present = (await evidenceTexts(ctx.db, [row])).get(row.card_id) ?? []
  const searched = evidences.slice(0, Math.max(0, SEARCHED_PIECES - row.evidence_count))
  const added = searchedParts(searched.map(({ content }) => content))
  return wordsOfCard({ ...contentOf(row), ...change, evidence_texts: [...present, ...added] }, ctx.work)
}

const given = (change: Partial<CardContent>): Partial<CardContent> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

export const updateCard = capability({
  name: 'cards.update',
  summary: 'Change a card, or add evidence to it',
  description:
    'Fields left out stay as they are; a given list or object replaces the whole of it. Evidence is only ever added to. Each update makes a new version and keeps the former one. With If-Match the update is refused (412) when the card is at another version. A card that was merged is not changed (409 merged_already, with into_card_id).',
  scopes: ['record', 'case:write'],
  rest: ['PATCH /api/v1/cards/{card_id}', 'PATCH /api/v1/cases/{case_id}'],
  aliases: { case_id: 'card_id' },
  tool: {
    name: 'update_card',
    description:
      'Change fields of a card, or add evidences; steps, tags and environment are replaced whole. Fields as in record_card.',
    input: UpdateTool,
    fieldsOf: 'record_card',
    thin: thinUpdate,
  },
  input: CaseUpdate,
  output: CaseResponse,
  errors: [400, 404, 409, 412, 413],
  maxBodyBytes: MAX_BODY_BYTES,
  prepare: async (ctx, { card_id, evidences, ...change }: CaseUpdateInput) => {
    await reviewAhead(ctx, card_id, given(change), evidences)
    const row = await cardIfReadable(ctx, card_id)
    return row && wordsAfter(ctx, row, given(change), evidences)
  },
  run: (ctx, { card_id, evidences, ...change }: CaseUpdateInput, words) =>
    inTx(
      ctx,
      async (ctx) => {
        await lockCard(ctx, card_id)
        return edit(ctx, await editableUnmerged(ctx, card_id), given(change), evidences, words)
      },
      SELF_GUARDED,
    ),
})

const versionFields = {
  version: z.int(),
  current: z.boolean(),
  changed_by: AnswerId,
  changed_by_name: z.string(),
  changed_at: Time,
  changed_fields: z.array(z.string()).describe('What differs from the version before; empty for the first'),
  content_hash: z.string().nullable().describe('Of a version that was published'),
  licence: LicenceId.nullable(),
  published_at: Time.nullable(),
}

const CaseVersion = z.object(versionFields).meta({ id: 'CaseVersion' })
const CaseHistoryResponse = pageOf(CaseVersion).meta({ id: 'CaseHistoryResponse' })

const CaseVersionResponse = z
  .object({ card_id: AnswerId, case_id: AnswerId, ...versionFields, content: CaseContent })
  .meta({ id: 'CaseVersionResponse' })

const VersionNumber = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

const present = (row: VersionRow, current: number) => ({
  version: row.version,
  current: row.version === current,
  changed_by: row.edited_by,
  changed_by_name: row.edited_by_name,
  changed_at: row.edited_at,
  changed_fields: fromJson<string[]>(row.edited_fields),
  content_hash: row.content_hash,
  licence: row.licence,
  published_at: row.published_at,
})

/** Returns the current version, which has no row of its own. */
const currentVersion = async (ctx: UserCtx, card: CardRow): Promise<VersionRow> => ({
  version: card.version,
  edited_by: card.edited_by,
  edited_by_name: await nameOf(ctx.db, card.edited_by),
  edited_at: card.edited_at,
  edited_fields: card.edited_fields,
  content_hash: card.version_published_at === null ? null : card.content_hash,
  licence: card.licence,
  published_at: card.version_published_at,
  content: toJson(contentOf(card)),
})

const firstSeen = (ctx: UserCtx, card: CardRow): number =>
  card.owner_id === ctx.viewer.userId ? 1 : card.known_from_version

async function versionsOf(ctx: UserCtx, card: CardRow, from: number, to: number): Promise<VersionRow[]> {
  const former = await findVersions(ctx.db, card.card_id, { from: Math.min(from, card.version - 1), to })
  return from >= card.version && to <= card.version ? [await currentVersion(ctx, card), ...former] : former
}

async function oneVersion(ctx: UserCtx, card: CardRow, version: number): Promise<VersionRow> {
  const first = firstSeen(ctx, card)
  const [row] = version < first ? [] : await versionsOf(ctx, card, version, version)
  if (!row || row.version !== version)
    throw notFound('Version', `You may read versions ${first} to ${card.version} of this card.`)
  return row
}

const WHO =
  'For people who may edit the card, starting with the version in which it came into their workspace, and for editors of the team that has published it; its owner reads all. A former version may contain what was taken out before publishing.'

export const cardHistory = capability({
  name: 'cards.history',
  summary: 'The versions of a card: who changed what and when',
  description: `Newest first, the present version included. ${WHO}`,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/history', 'GET /api/v1/cases/{case_id}/history'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend(Page),
  output: CaseHistoryResponse,
  errors: [404],
  run: async (ctx, { card_id, page, page_size }) => {
    const card = await cardWithHistory(ctx, card_id)
    const from = card.version - (page - 1) * page_size
    const first = firstSeen(ctx, card)
    const rows = from < first ? [] : await versionsOf(ctx, card, from, Math.max(first, from - page_size + 1))
    const total = card.version - first + 1
    return { items: rows.map((row) => present(row, card.version)), total, page, page_size }
  },
})

export const cardVersion = capability({
  name: 'cards.version',
  summary: 'One version of a card, whole',
  description: WHO,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/history/{version}', 'GET /api/v1/cases/{case_id}/history/{version}'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend({ version: VersionNumber }),
  output: CaseVersionResponse,
  errors: [404],
  run: async (ctx, { card_id, version }) => {
    const card = await cardWithHistory(ctx, card_id)
    const row = await oneVersion(ctx, card, version)
    return {
      card_id,
      case_id: card_id,
      ...present(row, card.version),
      content: contentOfVersion(row.content),
    }
  },
})

export const restoreCard = capability({
  name: 'cards.restore',
  summary: 'Make a former version the present one',
  description:
    'This is an update like any other: it makes a new version, and the one it replaces is kept. Evidence stays as it is.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards/{card_id}/restore', 'POST /api/v1/cases/{case_id}/restore'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend({ version: VersionNumber }),
  output: CaseResponse,
  errors: [400, 404, 409, 412],
  prepare: async (ctx, { card_id, version }) => {
    await reviewAhead(ctx, card_id)
    const card = await editableUnmerged(ctx, card_id)
    const { content } = await oneVersion(ctx, card, version)
    return wordsAfter(ctx, card, contentOfVersion(content))
  },
  run: (ctx, { card_id, version }, words) =>
    inTx(
      ctx,
      async (ctx) => {
        await lockCard(ctx, card_id)
        const card = await editableUnmerged(ctx, card_id)
        const { content } = await oneVersion(ctx, card, version)
        return edit(ctx, card, contentOfVersion(content), [], words)
      },
      SELF_GUARDED,
    ),
})

export const changeCites = (ctx: UserCtx, cardId: string, written: readonly string[] | null) =>
  inTx(
    ctx,
    async (ctx) => {
      await lockCard(ctx, cardId)
      const card = await editableUnmerged(ctx, cardId)
      const there = { workspace_id: card.workspace_id, visibility: card.workspace_visibility }
      if (card.status === 'published') await requireMayPublish(ctx, there)
      const content = contentOf(card)
      const cites = written ?? readCites(content)
      const change = { cites: toJson(cites), cites_are_written: written ? 1 : 0 }
      const reviewed = await review(ctx, { ...card, ...change }, content, card.evidence_count, content)
      const verdict = await withApproval(ctx, reviewed, card, there)
      if (card.status === 'published') refuseUnsafe(verdict)
      const now = ctx.now().toISOString()
      await updateCardRow(ctx.db, cardId, { ...change, ...reviewColumns(verdict, now) })
      await savedState(ctx, cardId)
      return { cites: [...cites], warnings: warningsFor(verdict.secrets) }
    },
    SELF_GUARDED,
  )

export const changeOrigin = (ctx: UserCtx, cardId: string, origin: StoredOrigin): Promise<void> =>
  updateCardRow(ctx.db, cardId, { origin: toJson(origin), content_hash: origin.content_hash })
