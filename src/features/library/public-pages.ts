import type { FastifyReply } from 'fastify'
import { type Selectable, sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { RawRoute } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { Id } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { CardsTable } from '../../db/knowledge-schema.ts'
import { safeMarkdown } from '../../pages/markdown.ts'
import { type Html, html, PAGE_HEADERS, page } from '../../pages/page.ts'
import {
  type CardField,
  DEFINITION,
  FIRST_TEXTS,
  MARKDOWN_FIELDS,
  type Step,
} from '../../shared/card-fields.ts'
import { DEFAULT_LANGUAGE } from '../../shared/language.ts'
import { LICENCE_TEXTS, type Licence } from '../../shared/licences.ts'
import { beginningOf, escapeHtml } from '../../text/unicode.ts'
import { authorOf, isCurrent, isListed, presentOrigin, presentPublication } from '../cards/index.ts'

/** The viewer id of a signed-out reader; scope public ignores it. */
const NOBODY = ''

const publicCards = (db: Db) => db.selectFrom('cards').where(isListed(db, NOBODY, 'public'))

const SHOWN_CHARACTERS = 20_000

const BEGINNINGS = MARKDOWN_FIELDS.map((field) =>
  sql<string | null>`substr(${sql.ref(`cards.${field}`)}, 1, ${SHOWN_CHARACTERS})`.as(field),
)

type PublicCard = Pick<
  Selectable<CardsTable>,
  'card_id' | 'card_type' | 'title' | 'tags' | 'environment' | 'steps' | 'created_at' | 'updated_at'
> & {
  version: number
  owner_name: string
  published_at: string | null
  content_hash: string | null
  licence: Licence | null
  version_published_at: string | null
  origin: string | null
  is_current: number
} & Record<(typeof MARKDOWN_FIELDS)[number], string | null>

function findPublicCard(db: Db, cardId: string): Promise<PublicCard | undefined> {
  return publicCards(db)
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select([
      'cards.card_id',
      'cards.card_type',
      'cards.version',
      'cards.title',
      'cards.tags',
      'cards.environment',
      'cards.steps',
      'cards.created_at',
      'cards.updated_at',
      'cards.published_at',
      'cards.content_hash',
      'cards.licence',
      'cards.version_published_at',
      'cards.origin',
      'users.display_name as owner_name',
    ])
    .select((eb) => [...BEGINNINGS, eb.case().when(isCurrent()).then(1).else(0).end().as('is_current')])
    .where('cards.card_id', '=', cardId)
    .executeTakeFirst()
}

type ListedPublicCard = { card_id: string; title: string; symptom: string; tags: string }

function listPublicCards(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedPublicCard[]> {
  return publicCards(db)
    .where(isCurrent())
    .select(['cards.card_id', 'cards.title', 'cards.tags'])
    .select(sql<string>`substr(cards.symptom, 1, 400)`.as('symptom'))
    .orderBy('cards.created_at', 'desc')
    .orderBy('cards.card_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

type SiteMapRow = { card_id: string; updated_at: string }

/** Oldest first, so that a card stays in its map when others are added. */
function siteMapRows(db: Db, page: { limit: number; offset: number }): Promise<SiteMapRow[]> {
  return publicCards(db)
    .where(isCurrent())
    .select(['cards.card_id', 'cards.updated_at'])
    .orderBy('cards.created_at')
    .orderBy('cards.card_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

async function countPublicCards(db: Db): Promise<number> {
  const { total } = await publicCards(db)
    .where(isCurrent())
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

const TYPE_NAMES: Record<PublicCard['card_type'], string> = {
  debug_fix: 'Fix',
  how_to: 'How-to',
  lesson_learned: 'Lesson',
  decision: 'Decision',
  reference: 'Reference',
}

const SITE = 'Knowledge Vault'
const DESCRIPTION_CHARACTERS = 160
const MAX_STEPS = 50
const STEP_CHARACTERS = 2000

const plain = (text: string): string =>
  text
    // Code marks are removed without a blank, which would stand before a full stop.
    .replaceAll('`', '')
    .replace(/[*#>|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

type Head = {
  title: string
  description: string
  url?: string
  isArticle?: boolean
  isHidden?: boolean
  licenceUrl?: string | null
}

const headOf = ({ title, description, url, isArticle, isHidden, licenceUrl }: Head): Html => html`
<meta name="description" content="${description}">
${isHidden ? html`<meta name="robots" content="noindex">` : ''}
${url ? html`<link rel="canonical" href="${url}">` : ''}
${licenceUrl ? html`<link rel="license" href="${licenceUrl}">` : ''}
<meta property="og:site_name" content="${SITE}">
<meta property="og:type" content="${isArticle ? 'article' : 'website'}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${url ? html`<meta property="og:url" content="${url}">` : ''}
<meta name="twitter:card" content="summary">`

const TOP = html`<header class="top"><a href="/" class="brand">${SITE}</a>
<nav aria-label="Main"><a href="/library">Library</a> <a href="/guide">Guide</a> <a href="/sign-in">Sign in</a></nav></header>`

const day = (time: string) =>
  new Date(time).toLocaleDateString(DEFAULT_LANGUAGE, { dateStyle: 'long', timeZone: 'UTC' })

const part = (title: string, text: string | null): Html | '' =>
  text?.trim()
    ? html`<section><h2>${title}</h2>${safeMarkdown(text)}${
        text.length >= SHOWN_CHARACTERS && html`<p class="soft">The rest is shown in the web app.</p>`
      }</section>`
    : ''

/** Returns the texts before the steps. The fix follows its cause. */
function textParts(card: PublicCard): Html[] {
  const labels: Partial<Record<CardField, string>> =
    card.card_type === 'debug_fix' ? {} : { symptom: 'Problem or goal', fix_summary: 'Solution' }
  const fields = [...FIRST_TEXTS.filter((field) => field !== 'fix_summary'), 'fix_summary'] as const
  return fields.map((field) => html`${part(labels[field] ?? DEFINITION[field].label, card[field])}\n`)
}

function stepsPart(steps: readonly Step[]): Html | '' {
  if (steps.length === 0) return ''
  const items = steps
    .toSorted((a, b) => a.order - b.order)
    .slice(0, MAX_STEPS)
    .map(
      ({ action, result }) =>
        html`<li>${safeMarkdown(beginningOf(action, STEP_CHARACTERS))}${result && html`<p class="soft">${beginningOf(result, STEP_CHARACTERS)}</p>`}</li>`,
    )
  return html`<section><h2>Steps</h2><ol>${items}</ol></section>`
}

function factsPart(card: PublicCard): Html | '' {
  const environment = Object.entries(fromJson<Record<string, string>>(card.environment))
  const tags = fromJson<string[]>(card.tags)
  if (environment.length + tags.length === 0) return ''
  const rows = environment.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  const listed = tags.map((tag) => html`<li>${tag}</li>`)
  return html`<section><h2>Environment and tags</h2>${rows.length > 0 && html`<dl>${rows}</dl>`}${
    listed.length > 0 && html`<ul class="tags" aria-label="Tags">${listed}</ul>`
  }</section>`
}

function givenPart(card: PublicCard): Html | '' {
  const publication = presentPublication(card)
  if (publication === null) return ''
  const { licence, licence_url, content_hash, author, published_at } = publication
  const origin = presentOrigin(card)
  return html`<section><h2>Licence and origin</h2><dl>
<div><dt>Licence</dt><dd>${
    licence ? html`<a rel="license" href="${licence_url}">${licence}</a>` : 'None was given.'
  }</dd></div>
<div><dt>Author</dt><dd>${author}</dd></div>
${
  origin &&
  html`<div><dt>Pulled from</dt><dd><a rel="nofollow ugc noopener noreferrer" href="${origin.url}">${origin.server}</a>${origin.changed_here && ', changed here'}.
Author and origin are as ${card.owner_name} states them.</dd></div>`
}
<div><dt>Version</dt><dd>${card.version}, published <time datetime="${published_at}">${day(published_at)}</time></dd></div>
<div><dt>SHA-256</dt><dd><code>${content_hash}</code></dd></div></dl></section>`
}

const footOf = (card: PublicCard): Html =>
  html`<footer class="foot"><a href="/cards/${card.card_id}">Open in the web app</a> <a href="/report/${card.card_id}" rel="nofollow">Report this card</a></footer>`

function cardView(card: PublicCard, baseUrl: string): string {
  const title = beginningOf(plain(card.title), 200)
  const published = card.published_at ?? card.created_at
  const body = html`${TOP}<article>
<p class="soft">${TYPE_NAMES[card.card_type]} by ${authorOf(card)}${card.origin !== null && `, passed on by ${card.owner_name}`} · published
<time datetime="${published}">${day(published)}</time></p>
<h1>${card.title}</h1>
${textParts(card)}${stepsPart(fromJson<Step[]>(card.steps))}
${part(DEFINITION.scope_notes.label, card.scope_notes)}
${part(DEFINITION.body.label, card.body)}
${factsPart(card)}
${givenPart(card)}
</article>${footOf(card)}`
  const head = headOf({
    title,
    description: beginningOf(plain(card.symptom ?? ''), DESCRIPTION_CHARACTERS),
    url: `${baseUrl}/library/${card.card_id}`,
    isArticle: true,
    isHidden: card.is_current === 0,
    licenceUrl: card.licence && LICENCE_TEXTS[card.licence],
  })
  return page({ title, width: 'reading', head, body })
}

/** Returns the same bytes for a hidden card and a missing card, so that nobody can tell them apart. */
function noCardView(): string {
  const title = 'A card'
  const body = html`${TOP}<h1>A card in ${SITE}</h1>
<p>There is no public card at this address. If somebody shared it with you, sign in to read it.</p>
<p class="actions"><a class="button" href="/sign-in">Sign in</a> <a class="button" href="/library">Browse the library</a></p>`
  return page({
    title,
    width: 'reading',
    head: headOf({ title: `A card in ${SITE}`, description: '', isHidden: true }),
    body,
  })
}

type Listing = { cards: readonly ListedPublicCard[]; pageNumber: number; hasNext: boolean; baseUrl: string }

const listAddress = (pageNumber: number) => (pageNumber === 1 ? '/library' : `/library?page=${pageNumber}`)

function listView({ cards, pageNumber, hasNext, baseUrl }: Listing): string {
  const title = pageNumber === 1 ? 'Public Library' : `Public Library, page ${pageNumber}`
  const items = cards.map(
    ({ card_id, title, symptom, tags }) => html`<li><a href="/library/${card_id}">${title}</a>
<p class="soft">${beginningOf(plain(symptom), DESCRIPTION_CHARACTERS)}</p>
${fromJson<string[]>(tags).length > 0 && html`<p class="soft">${fromJson<string[]>(tags).slice(0, 8).join(' · ')}</p>`}</li>`,
  )
  const body = html`${TOP}<h1>Public Library</h1>
<p class="soft">What people and their agents solved, and published after a review. Search is in the web app.</p>
${items.length > 0 ? html`<ul class="cards">${items}</ul>` : html`<p>There is nothing on this page.</p>`}
<nav class="pages" aria-label="Pages">${
    pageNumber > 1 && html`<a rel="prev" href="${listAddress(pageNumber - 1)}">Newer</a>`
  } ${hasNext && html`<a rel="next" href="${listAddress(pageNumber + 1)}">Older</a>`}</nav>`
  const head = headOf({
    title,
    description: 'Fixes, how-tos and decisions of developers and their agents, each checked by a review.',
    url: `${baseUrl}${listAddress(pageNumber)}`,
    isHidden: cards.length === 0,
  })
  return page({ title, width: 'reading', head, body })
}

/** The format allows 50,000; fewer keep an answer small. */
const ADDRESSES_A_MAP = 5000
const MAX_MAPS = 200

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const FORMAT = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

export const siteMap = (rows: readonly SiteMapRow[], baseUrl: string): string => {
  const urls = rows.map(
    ({ card_id, updated_at }) =>
      `<url><loc>${escapeHtml(`${baseUrl}/library/${card_id}`)}</loc><lastmod>${updated_at}</lastmod></url>\n`,
  )
  return `${XML}<urlset ${FORMAT}>\n${urls.join('')}</urlset>\n`
}

export const siteMapIndex = (count: number, baseUrl: string): string => {
  const maps = Array.from(
    { length: Math.min(count, MAX_MAPS) },
    (_, index) => `<sitemap><loc>${escapeHtml(`${baseUrl}/sitemaps/${index + 1}`)}</loc></sitemap>\n`,
  )
  return `${XML}<sitemapindex ${FORMAT}>\n${maps.join('')}</sitemapindex>\n`
}

const robots = (publicPages: boolean, baseUrl: string): string =>
  publicPages
    ? `User-agent: *\nAllow: /$\nAllow: /library\nDisallow: /library/snapshot\nAllow: /guide\nAllow: /pages.css\nAllow: /sitemap\nDisallow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`
    : 'User-agent: *\nDisallow: /\n'

const isOn = (config: Config) => config.publicPages

/** A short cache time, so that a withdrawn card soon disappears. A signed-in reader gets another page. */
const KEPT = { 'cache-control': 'public, max-age=60', vary: 'Cookie, Authorization' }

const CARDS_A_PAGE = 30
const MAX_PAGES = 1000

async function cardPage({ config, database }: Services, cardId: string): Promise<string | undefined> {
  const card = await findPublicCard(database.read, cardId)
  return card && cardView(card, config.baseUrl)
}

const notFound = (reply: FastifyReply) =>
  reply
    .code(404)
    .headers({ ...PAGE_HEADERS, ...KEPT })
    .send(noCardView())

const showCard: RawRoute = {
  name: 'library.card',
  summary: 'One public card as a page',
  route: 'GET /library/{card_id}',
  scopes: 'public',
  inApp: true,
  isOn,
  handle: async (services, request, reply) => {
    const { card_id } = request.params as { card_id: string }
    const id = Id.safeParse(card_id)
    const page = id.success ? await cardPage(services, id.data) : undefined
    return page === undefined ? notFound(reply) : reply.headers({ ...PAGE_HEADERS, ...KEPT }).send(page)
  },
}

const numberOf = (text: unknown, most: number): number | undefined => {
  const number = typeof text === 'string' && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
  return number === undefined || number > most ? undefined : number
}

const showList: RawRoute = {
  name: 'library.list',
  summary: 'The public cards as a page, newest first',
  route: 'GET /library',
  scopes: 'public',
  inApp: true,
  isOn,
  handle: async ({ config, database }, request, reply) => {
    const { page } = request.query as { page?: unknown }
    const pageNumber = page === undefined ? 1 : numberOf(page, MAX_PAGES)
    if (pageNumber === undefined) return notFound(reply)
    const rows = await listPublicCards(database.read, {
      limit: CARDS_A_PAGE + 1,
      offset: (pageNumber - 1) * CARDS_A_PAGE,
    })
    const cards = rows.slice(0, CARDS_A_PAGE)
    const hasNext = rows.length > cards.length && pageNumber < MAX_PAGES
    return reply
      .headers({ ...PAGE_HEADERS, ...KEPT })
      .send(listView({ cards, pageNumber, hasNext, baseUrl: config.baseUrl }))
  },
}

const sendXml = (reply: FastifyReply, xml: string) =>
  reply
    .headers({ 'content-type': 'application/xml; charset=utf-8', 'cache-control': 'public, max-age=600' })
    .send(xml)

const showSiteMap: RawRoute = {
  name: 'library.sitemap',
  summary: 'The addresses of the public cards, or of the maps that list them',
  route: 'GET /sitemap.xml',
  scopes: 'public',
  isOn,
  handle: async ({ config, database }, _request, reply) => {
    const total = await countPublicCards(database.read)
    if (total > ADDRESSES_A_MAP)
      return sendXml(reply, siteMapIndex(Math.ceil(total / ADDRESSES_A_MAP), config.baseUrl))
    return sendXml(reply, siteMap(await siteMapRows(database.read, firstMap), config.baseUrl))
  },
}

const mapAt = (number: number) => ({ limit: ADDRESSES_A_MAP, offset: (number - 1) * ADDRESSES_A_MAP })
const firstMap = mapAt(1)

const showOneMap: RawRoute = {
  name: 'library.sitemap_part',
  summary: 'One map of many',
  route: 'GET /sitemaps/{number}',
  scopes: 'public',
  isOn,
  handle: async ({ config, database }, request, reply) => {
    const { number } = request.params as { number: string }
    const wanted = numberOf(number, MAX_MAPS)
    if (wanted === undefined) return notFound(reply)
    return sendXml(reply, siteMap(await siteMapRows(database.read, mapAt(wanted)), config.baseUrl))
  },
}

const showRobots: RawRoute = {
  name: 'library.robots',
  summary: 'What search engines may read',
  route: 'GET /robots.txt',
  scopes: 'public',
  handle: async ({ config }, _request, reply) =>
    reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=600' })
      .send(robots(config.publicPages, config.baseUrl)),
}

export const publicLibrary: readonly RawRoute[] = [showList, showCard, showSiteMap, showOneMap, showRobots]
