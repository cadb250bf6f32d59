import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Services } from '../../core/context.ts'
import { AppError, nothingHere } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import { countMiss } from './limits/rate-limit.ts'

const DIST = new URL('../../../web/dist/', import.meta.url)

/** Everything from this server, nothing inline: text that slips into a page cannot become code. */
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

/** The service worker fetches the files of the app, and does nothing else. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'"

/** Addresses that belong to programs: a mistyped one gets their 404, never a page. */
const NOT_PAGES = /^\/(api|mcp|docs|health|metrics|openapi\.json|ai-guide|oauth|assets|\.well-known)(\/|$)/

/** A browser that opens an address, as opposed to a script, a program or an image tag that fetches one. */
function opensPage(request: FastifyRequest): boolean {
  const path = request.url.split('?', 1)[0] ?? '/'
  if (NOT_PAGES.test(path) || /\.\w+$/.test(path)) return false
  const mode = request.headers['sec-fetch-mode']
  if (mode !== undefined && mode !== 'navigate') return false
  return request.headers.accept?.includes('text/html') ?? false
}

const asksForJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  /\bapplication\/([\w.-]+\+)?json\b/i.test(accept) && !/\btext\/html\b/i.test(accept)

/** What the sign-in page needs to know before anybody is signed in; nothing secret. */
const publicConfig = (config: Config) => ({
  base_url: config.baseUrl,
  version: VERSION,
  credits: config.credits,
  registration: config.registration,
  mail: config.mail.smtpUrl !== undefined,
  google: config.google
    ? {
        client_id: config.google.clientId,
        authorize_url: `${config.google.issuer.replace(/\/$/, '')}/o/oauth2/v2/auth`,
      }
    : null,
})

/** The built web app: its files, and its one page for every address that no other door has. */
export async function serveWeb(app: FastifyInstance, services: Services): Promise<void> {
  const index = await readFile(new URL('index.html', DIST), 'utf8').catch(() => undefined)
  if (index === undefined) services.log.warn('the web app is not built; run: npm run build:web')

  const sendPage = (reply: FastifyReply) => {
    if (index === undefined)
      throw new AppError(
        503,
        'not_configured',
        'The web app is not built on this server. Run: npm run build:web',
      )
    return reply
      .headers({ 'Content-Security-Policy': WEB_POLICY, 'Cache-Control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(index)
  }

  app.get(
    '/app-config.json',
    { config: { operation: 'web.config', compress: true } },
    async (_request, reply) => reply.header('Cache-Control', 'no-cache').send(publicConfig(services.config)),
  )
  if (index !== undefined) {
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
  // The page without its address: what the service worker keeps for when the server is away.
  app.get('/app-shell', { config: { operation: 'web.page', compress: true } }, async (_request, reply) =>
    sendPage(reply),
  )
  // The link of an invitation is opened by whatever a person has at hand; only who asks for JSON is a program.
  app.get('/invite/:token', { config: { operation: 'web.page', compress: true } }, async (request, reply) => {
    if (asksForJson(request))
      throw new AppError(
        404,
        'not_found',
        'This is a page. The invitation as JSON is at /api/v1/workspaces/invites/{token}.',
      )
    return sendPage(reply)
  })
  app.get('/', { config: { operation: 'web.page', compress: true } }, async (_request, reply) =>
    sendPage(reply),
  )
  app.get('/*', { config: { operation: 'web.page', compress: true } }, async (request, reply) => {
    if (opensPage(request)) return sendPage(reply)
    countMiss(services, request)
    throw nothingHere()
  })
}
