import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Services } from '../../core/context.ts'
import { AppError, nothingHere } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import { EVERYTHING_ELSE } from './not-found.ts'
import { countMiss } from './rate-limit.ts'

/** What the build says of each source that has a file of its own. */
type Chunk = { file: string; imports?: string[] }
export type BuildManifest = Record<string, Chunk>

const MANIFEST = new URL('../../../web/dist/.vite/manifest.json', import.meta.url)

/** The parts of the app that show a card; the app itself asks for them only once it runs. */
const SHOW_A_CARD = ['src/pages/search/detail-pane.tsx', 'src/ui/markdown/markdown.tsx']
const CARD_PAGE = ['src/pages/cards/card-page.tsx', 'src/ui/markdown/markdown.tsx']

function withImports(
  manifest: BuildManifest,
  sources: readonly string[],
  found = new Set<string>(),
): Set<string> {
  for (const source of sources) {
    const chunk = manifest[source]
    if (!chunk || found.has(source)) continue
    found.add(source)
    withImports(manifest, chunk.imports ?? [], found)
  }
  return found
}

/** Links that make a browser load these parts along with the app, not after it. */
function preloadLinks(manifest: BuildManifest, sources: readonly string[]): string {
  const app = withImports(manifest, ['index.html'])
  return [...withImports(manifest, sources)]
    .filter((source) => !app.has(source))
    .map((source) => `<link rel="modulepreload" crossorigin href="/${manifest[source]?.file}">`)
    .join('\n    ')
}

function readManifest(): BuildManifest {
  try {
    return JSON.parse(readFileSync(MANIFEST, 'utf8')) as BuildManifest
  } catch {
    return {}
  }
}

/** What the address alone tells of the page that opens: a card beside the results, or a card on a page of its own. */
function cardPreloads(): { besideResults: string; asPage: string } {
  const manifest = readManifest()
  return {
    besideResults: preloadLinks(manifest, SHOW_A_CARD),
    asPage: preloadLinks(manifest, CARD_PAGE),
  }
}

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

const isWebBuilt = (): boolean => webPages() !== undefined

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
const sendSearchPage = (reply: FastifyReply): FastifyReply => send(reply, 'search')

const sendCardPage = (reply: FastifyReply): FastifyReply => send(reply, 'card')

const DIST = new URL('../../../web/dist/', import.meta.url)

/** The address of any card; the editor of a new one has no card to show. The preview of a link does not reveal whether the card exists. */
const CARD_ADDRESS = /^\/(?:cards\/(?!new(?:\?|$))|library\/)[\w-]{1,100}(?:\?|$)/

/** The search page, where a card is open beside the results. */
const OPEN_CARD = /[?&]card=/

/** The service worker fetches the files of the app, and does nothing else. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'"

const asksForJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  /\bapplication\/([\w.-]+\+)?json\b/i.test(accept) && !/\btext\/html\b/i.test(accept)

/** What the sign-in page needs to know before anybody is signed in; nothing secret. */
const publicConfig = (config: Config) => ({
  base_url: config.baseUrl,
  version: VERSION,
  credits: config.credits,
  registration: config.registration,
  public_pages: config.publicPages,
  library_licence: config.libraryLicence,
  mail: config.mail.smtpUrl !== undefined,
  google: config.google
    ? {
        client_id: config.google.clientId,
        authorize_url: `${config.google.issuer.replace(/\/$/, '')}/o/oauth2/v2/auth`,
      }
    : null,
})

async function serveFiles(app: FastifyInstance): Promise<void> {
  const common = { decorateReply: false, index: false as const, cacheControl: false }
  await app.register(fastifyStatic, {
    ...common,
    root: fileURLToPath(new URL('assets/', DIST)),
    prefix: '/assets/',
    preCompressed: true,
    // Their names carry a hash of their content, so they never change.
    setHeaders: (reply) => reply.header('Cache-Control', 'public, max-age=31536000, immutable'),
  })
  await app.register(fastifyStatic, {
    ...common,
    root: fileURLToPath(DIST),
    wildcard: false,
    globIgnore: ['index.html', 'assets/**'],
    setHeaders: (reply, path) => {
      reply.header('Cache-Control', 'no-cache')
      if (path.endsWith('/sw.js')) reply.header('Content-Security-Policy', WORKER_POLICY)
    },
  })
}

/** The built web app: its files, and its one page for every address that no other door has. */
export async function serveWeb(app: FastifyInstance, services: Services): Promise<void> {
  if (isWebBuilt()) await serveFiles(app)
  else services.log.warn('the web app is not built; run: npm run build:web')

  app.get(
    '/app-config.json',
    { config: { operation: 'web.config', compress: true } },
    async (_request, reply) => reply.header('Cache-Control', 'no-cache').send(publicConfig(services.config)),
  )
  // The page without its address: the service worker keeps it for when the server is unreachable.
  app.get('/app-shell', { config: { operation: 'web.page', compress: true } }, async (_request, reply) =>
    sendWebPage(reply),
  )
  // People open invitation links with all kinds of clients; only a request for JSON comes from a program.
  app.get('/invite/:token', { config: { operation: 'web.page', compress: true } }, async (request, reply) => {
    if (asksForJson(request))
      throw new AppError(
        404,
        'not_found',
        'This is a page. The invitation as JSON is at /api/v1/workspaces/invites/{token}.',
      )
    return sendWebPage(reply)
  })
  app.get('/', { config: { operation: 'web.page', compress: true } }, async (request, reply) =>
    OPEN_CARD.test(request.url) ? sendSearchPage(reply) : sendWebPage(reply),
  )
  app.get(EVERYTHING_ELSE, { config: { operation: 'web.page', compress: true } }, async (request, reply) => {
    // Programs that preview a link send any `Accept` header.
    if (CARD_ADDRESS.test(request.url) && !asksForJson(request)) return sendCardPage(reply)
    if (opensPage(request)) return sendWebPage(reply)
    countMiss(services, request)
    throw nothingHere()
  })
}
