/** The Public Library for people without an account, if PUBLIC_PAGES is on. */
import type { FastifyReply } from 'fastify'
import type { Config } from '../../config.ts'
import type { Services } from '../../core/context.ts'
import type { RawRoute } from '../../core/http/raw-route.ts'
import { Id } from '../../core/schemas.ts'
import { PAGE_HEADERS } from '../pages/page.ts'
import { cardView, listView, noCardView } from './library-views.ts'
import { countPublicCards, findPublicCard, listPublicCards, siteMapRows } from './public-library.store.ts'
import { ADDRESSES_A_MAP, MOST_MAPS, robots, siteMap, siteMapIndex } from './site-map.ts'

const isOn = (config: Config) => config.publicPages

/** Short, so that a card that is taken back soon disappears from caches. A signed-in reader gets another page. */
const KEPT = { 'cache-control': 'public, max-age=60', vary: 'Cookie, Authorization' }

const CARDS_A_PAGE = 30
const MOST_PAGES = 1000

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
    const pageNumber = page === undefined ? 1 : numberOf(page, MOST_PAGES)
    if (pageNumber === undefined) return notFound(reply)
    const rows = await listPublicCards(database.read, {
      limit: CARDS_A_PAGE + 1,
      offset: (pageNumber - 1) * CARDS_A_PAGE,
    })
    const cards = rows.slice(0, CARDS_A_PAGE)
    const hasNext = rows.length > cards.length && pageNumber < MOST_PAGES
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
    const wanted = numberOf(number, MOST_MAPS)
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
