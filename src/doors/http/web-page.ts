import { readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { cardPreloads } from './web-preloads.ts'

const INDEX = new URL('../../../web/dist/index.html', import.meta.url)

/** Everything from this server, nothing inline: text that gets into a page cannot become code. */
export const WEB_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'Content-Security-Policy': WEB_POLICY,
  'Cache-Control': 'no-cache',
  'Content-Type': 'text/html; charset=utf-8',
}

/** Addresses that belong to programs: a mistyped one gets their 404, never a page. web/public/sw.js has the same list. */
export const NOT_PAGES =
  /^\/(api|mcp|docs|health|metrics|openapi\.json|ai-guide|oauth|assets|\.well-known)(\/|$)/

/** A browser that opens an address, as opposed to a script, a program or an image tag that fetches one. */
export function opensPage(request: FastifyRequest): boolean {
  const path = request.url.split('?', 1)[0] ?? '/'
  if (NOT_PAGES.test(path) || /\.\w+$/.test(path)) return false
  const mode = request.headers['sec-fetch-mode']
  if (mode !== undefined && mode !== 'navigate') return false
  return request.headers.accept?.includes('text/html') ?? false
}

function readIndex(): string | undefined {
  try {
    return readFileSync(INDEX, 'utf8')
  } catch {
    return undefined
  }
}

/** The one page of the app, with what its address tells already: how a link to it looks, which parts it needs at once. */
type WebPages = { app: string; search: string; card: string }

const CARD_TITLE = 'A card in Knowledge Vault'

/**
 * A link preview reads the head of the page. For a card it is the same, whether the card is private, public or does
 * not exist.
 */
const forCard = (index: string): string =>
  index
    .replace(/<title>[^<]*<\/title>/, `<title>${CARD_TITLE}</title>`)
    .replace(/(<meta property="og:title" content=")[^"]*"/, `$1${CARD_TITLE}"`)
    .replace(/(<meta (?:name|property)="(?:og:)?description" content=")[^"]*"/g, '$1"')

const withLinks = (html: string, links: string): string => html.replace('</head>', `  ${links}\n  </head>`)

let pages: WebPages | undefined

function webPages(): WebPages | undefined {
  const index = pages ? undefined : readIndex()
  if (index === undefined) return pages
  const { besideResults, asPage } = cardPreloads()
  pages = { app: index, search: withLinks(index, besideResults), card: withLinks(forCard(index), asPage) }
  return pages
}

export const isWebBuilt = (): boolean => webPages() !== undefined

function send(reply: FastifyReply, which: keyof WebPages): FastifyReply {
  const built = webPages()
  if (!built)
    throw new AppError(
      503,
      'not_configured',
      'The web app is not built on this server. Run: npm run build:web',
    )
  return reply.headers(HEADERS).send(built[which])
}

/** The one page of the web app. */
export const sendWebPage = (reply: FastifyReply): FastifyReply => send(reply, 'app')

/** The search page with a card open beside the results. */
export const sendSearchPage = (reply: FastifyReply): FastifyReply => send(reply, 'search')

export const sendCardPage = (reply: FastifyReply): FastifyReply => send(reply, 'card')
