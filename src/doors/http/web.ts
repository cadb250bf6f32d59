import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Services } from '../../core/context.ts'
import { AppError, nothingHere } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import { countMiss } from './limits/rate-limit.ts'
import { isWebBuilt, opensPage, sendCardPage, sendSearchPage, sendWebPage } from './web-page.ts'
import { EVERYTHING_ELSE } from './wrong-addresses.ts'

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
