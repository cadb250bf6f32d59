import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, nothingHere } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import { EVERYTHING_ELSE } from './not-found.ts'
import { countMiss } from './rate-limit.ts'

type Chunk = { file: string; imports?: string[] }
type BuildManifest = Record<string, Chunk>

const MANIFEST = new URL('../../../web/dist/.vite/manifest.json', import.meta.url)

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

function cardPreloads(): { besideResults: string; asPage: string } {
  const manifest = readManifest()
  return {
    besideResults: preloadLinks(manifest, SHOW_A_CARD),
    asPage: preloadLinks(manifest, CARD_PAGE),
  }
}

const INDEX = new URL('../../../web/dist/index.html', import.meta.url)

/** Allows content from this server only and nothing inline, against XSS. */
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

/** Addresses of programs: a wrong one gets a 404, never a page. Must stay in step with web/public/sw.js. */
export const NOT_PAGES =
  /^\/(api|mcp|docs|health|metrics|openapi\.json|ai-guide|oauth|assets|\.well-known)(\/|$)/

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

type WebPages = { app: string; search: string; card: string }

const CARD_TITLE = 'A card in Knowledge Vault'

/** The preview is the same whether the card is private, public or does not exist. */
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

export const sendWebPage = (reply: FastifyReply): FastifyReply => send(reply, 'app')

const sendSearchPage = (reply: FastifyReply): FastifyReply => send(reply, 'search')

const sendCardPage = (reply: FastifyReply): FastifyReply => send(reply, 'card')

const DIST = new URL('../../../web/dist/', import.meta.url)

/** Excludes the editor of a new card; the link preview must not reveal whether the card exists. */
const CARD_ADDRESS = /^\/(?:cards\/(?!new(?:\?|$))|library\/)[\w-]{1,100}(?:\?|$)/

const OPEN_CARD = /[?&]card=/

/** The service worker only fetches files of the app. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'"

const asksForJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  /\bapplication\/([\w.-]+\+)?json\b/i.test(accept) && !/\btext\/html\b/i.test(accept)

/** Returns the settings that the sign-in page needs before anybody is signed in; nothing secret. */
const publicConfig = ({ config, serverSettings }: Services) => ({
  base_url: config.baseUrl,
  version: VERSION,
  credits: serverSettings.credits,
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

/** Vaults that have accounts: they keep some. */
const inhabited = new WeakSet<Services['database']>()

async function hasAccounts({ database }: Services): Promise<boolean> {
  if (inhabited.has(database)) return true
  const row = await database.read.selectFrom('users').select('user_id').limit(1).executeTakeFirst()
  if (row) inhabited.add(database)
  return row !== undefined
}

async function serveFiles(app: FastifyInstance): Promise<void> {
  const common = { decorateReply: false, index: false as const, cacheControl: false }
  await app.register(fastifyStatic, {
    ...common,
    root: fileURLToPath(new URL('assets/', DIST)),
    prefix: '/assets/',
    preCompressed: true,
    // The file names contain a hash of the content, so the files never change.
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

export async function serveWeb(app: FastifyInstance, services: Services): Promise<void> {
  if (isWebBuilt()) await serveFiles(app)
  else services.log.warn('the web app is not built; run: npm run build:web')

  app.get(
    '/app-config.json',
    { config: { operation: 'web.config', compress: true } },
    async (_request, reply) =>
      reply
        .header('Cache-Control', 'no-cache')
        .send({ ...publicConfig(services), has_accounts: await hasAccounts(services) }),
  )
  // The page without its address. The service worker keeps it for times without a connection.
  app.get('/app-shell', { config: { operation: 'web.page', compress: true } }, async (_request, reply) =>
    sendWebPage(reply),
  )
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
    // Link previews send any `Accept` header.
    if (CARD_ADDRESS.test(request.url) && !asksForJson(request)) return sendCardPage(reply)
    if (opensPage(request)) return sendWebPage(reply)
    countMiss(services, request)
    throw nothingHere()
  })
}
