import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { newId } from '../../db/ids.ts'
import type { CardLinksTable, LinkKind } from '../../db/tables/card-links.ts'
import { audit } from '../audit/audit.ts'
import { editableAtAnyVersion, editableCard, readableCard, requireVersion } from '../cards/access.ts'
import { holdAround } from '../cards/hold-card.ts'
import { Home, presentHome, Readers } from '../cards/home.ts'
import { presentHomes } from '../cards/homes.ts'
import { CardId } from '../cards/schemas.ts'
import { cleanOptional, Findings } from '../redaction/stored.ts'
import { requireMaySpeakOf } from '../sanctions/sanctions.ts'
import { withoutForeignWords } from './link-words.store.ts'
import {
  countLinks,
  deleteLink,
  findLink,
  findMerge,
  insertLink,
  linksOf,
  MOST_LINKS,
  readableMerge,
  settleContradiction,
  successorByLink,
  workspaceOf,
} from './links.store.ts'
import { succeed, succeedAnew } from './succession.ts'

const KINDS = ['supersedes', 'duplicates', 'contradicts', 'related'] as const satisfies readonly LinkKind[]

const CardLink = z
  .object({
    link_id: AnswerId,
    from_card_id: AnswerId,
    to_card_id: AnswerId,
    kind: z.enum(KINDS),
    why: z.string().nullable(),
    other_title: z.string().describe('Of the card at the other end'),
    other_home: Home,
    other_readers: Readers,
    created_by_name: z
      .string()
      .nullable()
      .describe(
        'Null, as why is, for readers who could not read both cards then; and where the program found it',
      ),
    created_at: Time,
  })
  .meta({ id: 'CardLink' })

const CardMergeReason = z
  .object({
    into_card_id: AnswerId,
    why: z.string().nullable(),
    created_by_name: z.string().nullable().describe('Null, as why is, for the same readers as of a link'),
    created_at: Time,
  })
  .meta({ id: 'CardMergeReason' })

/** Superseding takes a card out of search, so it needs the right to edit that card. The other kinds change nothing. */
async function bothCards(ctx: UserCtx, kind: LinkKind, fromId: string, toId: string) {
  if (kind !== 'supersedes')
    return { from: await editableCard(ctx, fromId), to: await readableCard(ctx, toId) }
  const from = await readableCard(ctx, fromId)
  requireVersion(ctx, from)
  return { from, to: await editableAtAnyVersion(ctx, toId) }
}

/** Only a successor changes the other card. Its admins must not learn of private cards that merely name it. */
const toldWhere = ({
  kind,
  from_card_id,
  to_card_id,
}: Pick<CardLinksTable, 'kind' | 'from_card_id' | 'to_card_id'>) =>
  kind === 'supersedes' ? to_card_id : from_card_id

/** Every reader of either card looks through its links, so neither has more than one can read. Call it after the link is made. */
async function requireFewLinks(ctx: UserCtx, link: CardLinksTable): Promise<void> {
  const { own, made } = await countLinks(ctx.db, link)
  if (own > MOST_LINKS) throw conflict('too_many_links', `A card has at most ${MOST_LINKS} links of its own.`)
  if (made > MOST_LINKS)
    throw conflict('too_many_links', `You have linked ${MOST_LINKS} cards to that one. Remove a link first.`)
}

export const linkCards = capability({
  name: 'cards.link',
  summary: 'Link a card to another',
  description:
    'supersedes takes the other card out of search: it is still read by its id and points to this one. It needs the right to edit the other card; the remaining kinds need the right to edit this one. related settles a contradiction that the program found between the two. The same link again changes nothing. A card has at most 100 links of its own, and a person makes at most 100 to the same card.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards/{card_id}/links'],
  status: 201,
  input: CardId.extend({
    to_card_id: Id,
    kind: z.enum(KINDS),
    why: z.string().max(2000).nullish(),
  }).meta({ id: 'CardLinkCreate' }),
  output: CardLink,
  errors: [404, 409, 412],
  run: (ctx, { card_id, to_card_id, kind, why: given }) => {
    const why = cleanOptional(given, new Findings())
    return inTx(ctx, async (ctx) => {
      const { from, to } = await bothCards(ctx, kind, card_id, to_card_id)
      if (from.card_id === to.card_id) throw conflict('same_card', 'A card cannot be linked to itself.')
      if (why !== null) await requireMaySpeakOf(ctx, [from, to])
      if (kind === 'supersedes' && to.superseded_by !== from.card_id) {
        await holdAround(ctx, [from.card_id, to.card_id])
        await succeed(ctx, to, from)
      }
      if (kind === 'related') await settleContradiction(ctx.db, from.card_id, to.card_id)
      const link_id = newId()
      const link = await insertLink(ctx.db, {
        link_id,
        from_card_id: from.card_id,
        to_card_id: to.card_id,
        kind,
        why,
        created_by: ctx.viewer.userId,
        created_at: ctx.now().toISOString(),
      })
      if (link.link_id === link_id) await requireFewLinks(ctx, link)
      await audit(ctx, {
        action: 'card.linked',
        subject: { type: 'card', id: to.card_id },
        workspaceId: (toldWhere(link) === to.card_id ? to : from).workspace_id,
        details: { kind, from_card_id: from.card_id },
      })
      const { home, readers } = presentHome(to)
      const [shown = link] = await withoutForeignWords(ctx.db, ctx.viewer.userId, [link])
      return { ...shown, other_title: to.title, other_home: home, other_readers: readers }
    })
  },
})

export const listLinks = capability({
  name: 'cards.links',
  summary: 'The links of a card',
  description:
    'In both directions. Links to cards that the caller may not read are left out, and so is the merge into such a card. The reason, and who wrote it, is for its writer and for those who could read both cards at that time.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/links'],
  input: CardId,
  output: z
    .object({
      items: z.array(CardLink),
      merge: CardMergeReason.nullable().describe('Set where this card was merged into another'),
    })
    .meta({ id: 'CardLinkList' }),
  errors: [404],
  run: async (ctx, { card_id }) => {
    await readableCard(ctx, card_id)
    const { userId } = ctx.viewer
    const [merge] = await withoutForeignWords(ctx.db, userId, await readableMerge(ctx.db, card_id, userId))
    const links = await withoutForeignWords(ctx.db, userId, await linksOf(ctx.db, card_id, userId))
    const others = links.map(({ other_id, ...card }) => ({ ...card, card_id: other_id }))
    const homes = await presentHomes(ctx.db, userId, others)
    return {
      items: links.flatMap((link) => {
        const at = homes.get(link.other_id)
        return at ? [{ ...link, other_home: at.home, other_readers: at.readers }] : []
      }),
      merge: merge ? { ...merge, into_card_id: merge.to_card_id } : null,
    }
  },
})

export const unlinkCards = capability({
  name: 'cards.unlink',
  summary: 'Remove a link between cards',
  description:
    'For people who may edit one of the two cards. A superseded card comes back to search. A contradiction that the program found comes back with the next verdict worked, unless the cards are linked as related.',
  scopes: ['record', 'case:write'],
  rest: ['DELETE /api/v1/cards/{card_id}/links/{link_id}'],
  status: 204,
  input: CardId.extend({ link_id: Id }),
  output: z.void(),
  errors: [404, 412],
  run: (ctx, { card_id, link_id }) =>
    inTx(ctx, async (ctx) => {
      const card = await editableCard(ctx, card_id)
      const link = await findLink(ctx.db, link_id)
      if (!link || (link.from_card_id !== card_id && link.to_card_id !== card_id)) throw notFound('Link')
      if (link.kind === 'supersedes') await holdAround(ctx, [link.from_card_id, link.to_card_id])
      await deleteLink(ctx.db, link_id)
      if (link.kind === 'supersedes') {
        const merge = await findMerge(ctx.db, link.to_card_id)
        const other = await successorByLink(ctx.db, link.to_card_id)
        await succeedAnew(ctx, link.to_card_id, merge?.into_card_id ?? other)
      }
      await audit(ctx, {
        action: 'card.unlinked',
        subject: { type: 'card', id: link.to_card_id },
        workspaceId: (await workspaceOf(ctx.db, toldWhere(link))) ?? card.workspace_id,
        details: { kind: link.kind, from_card_id: link.from_card_id },
      })
    }),
})
