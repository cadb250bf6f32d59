import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { NOT_PAGES, WEB_POLICY } from '../../src/doors/http/web.ts'
import viteConfig from '../../web/vite.config.ts'
import { openStage } from './support.ts'

const stage = openStage()
const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

describe('the server serves the app', () => {
  test('every page address answers with the app and a policy that allows nothing from elsewhere', async () => {
    for (const url of ['/', '/sign-in', '/cards/new', '/some/unknown/page']) {
      const answer = await stage.app.server.inject({ url, headers: PAGE })
      expect(answer.statusCode, url).toBe(200)
      expect(answer.headers['content-security-policy']).toBe(WEB_POLICY)
      expect(answer.body).toContain('<div id="root">')
    }
    expect(WEB_POLICY).not.toMatch(/unsafe|\*|https?:|data:/)
  })

  test('an address of a program never answers with a page', async () => {
    for (const url of [
      '/api/v1/nothing',
      '/mcp/nothing',
      '/docs/nothing',
      '/assets/nothing.js',
      '/nothing.json',
      '/.well-known/nothing',
    ]) {
      const answer = await stage.app.server.inject({ url, headers: PAGE })
      expect(answer.statusCode, url).toBe(404)
      expect(answer.json().code, url).toBe('not_found')
    }
    const script = await stage.app.server.inject({ url: '/some/page', headers: { accept: '*/*' } })
    expect(script.statusCode).toBe(404)
  })

  test('the link of an invitation is a page for clients that do not ask for JSON', async () => {
    const open = (accept?: string) =>
      stage.app.server.inject({ url: `/invite/${'x'.repeat(43)}`, headers: accept ? { accept } : {} })
    for (const accept of [undefined, '*/*', 'text/html', 'text/html,application/json;q=0.9', 'image/png']) {
      const answer = await open(accept)
      expect(answer.statusCode, accept).toBe(200)
      expect(answer.body, accept).toContain('<div id="root">')
    }
    const asked = await open('application/json')
    expect(asked.statusCode).toBe(404)
    expect(asked.json().detail).toContain('/api/v1/workspaces/invites/')
  })

  test('files with a hash in their name are kept for ever, the page itself is asked for again', async () => {
    const index = await stage.app.server.inject({ url: '/', headers: PAGE })
    expect(index.headers['cache-control']).toBe('no-cache')
    const script = /src="(\/assets\/[^"]+)"/.exec(index.body)?.[1] ?? ''
    const asset = await stage.app.server.inject({ url: script, headers: { 'accept-encoding': 'br' } })
    expect(asset.headers['cache-control']).toContain('immutable')
    expect(asset.headers['content-encoding']).toBe('br')
  })
})

test('the page of an address that opens a card names the files that show it', async () => {
  const preloads = async (url: string) => {
    const { body, headers } = await stage.app.server.inject({ url, headers: PAGE })
    expect(headers['content-security-policy']).toBe(WEB_POLICY)
    return [
      ...body.matchAll(/<link rel="modulepreload" crossorigin href="\/assets\/([\w-]+)-[\w-]{8}\.js">/g),
    ]
      .map(([, name]) => name)
      .sort()
  }
  const cardId = crypto.randomUUID()
  const plain = await preloads('/')
  for (const name of ['card', 'shared', 'markdown', 'detail-pane']) {
    expect(plain).not.toContain(name)
    expect(await preloads(`/?q=pool&card=${cardId}`), name).toContain(name)
  }
  expect(await preloads(`/cards/${cardId}`)).toEqual(
    expect.arrayContaining(['card', 'card-page', 'markdown']),
  )
  expect(await preloads('/cards/new')).toEqual(plain)
  // Whether there is such a card, or which one it is, makes no difference.
  const bodyOf = async (id: string) =>
    (await stage.app.server.inject({ url: `/?card=${id}`, headers: PAGE })).body
  expect(await bodyOf(crypto.randomUUID())).toBe(await bodyOf(cardId))
})

test('home, and search with an open card, load at most 170 kB of compressed script', () => {
  const dist = fileURLToPath(new URL('../../web/dist/', import.meta.url))
  type Chunk = { file: string; name?: string; isEntry?: boolean; imports?: string[] }
  const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8')) as Record<string, Chunk>
  const bytesWith = (isStart: (path: string, chunk: Chunk) => boolean): number => {
    const needed = new Set<string>()
    const add = (path: string) => {
      if (needed.has(path)) return
      needed.add(path)
      for (const next of manifest[path]?.imports ?? []) add(next)
    }
    for (const [path, chunk] of Object.entries(manifest)) if (isStart(path, chunk)) add(path)
    return [...needed].reduce(
      (sum, path) => sum + readFileSync(`${dist}${manifest[path]?.file}.br`).length,
      0,
    )
  }
  const parts = ['detail-pane', 'ui/markdown/markdown', 'ui/markdown/highlight', 'languages/typescript']
  for (const part of parts)
    expect(Object.keys(manifest).filter((path) => path.includes(`${part}.`)).length, part).toBeGreaterThan(0)
  const isOfCard = (path: string) => parts.some((part) => path.includes(`${part}.`))
  expect(bytesWith((_, { isEntry }) => isEntry === true)).toBeLessThanOrEqual(150_000)
  expect(bytesWith((path, { isEntry }) => isEntry === true || isOfCard(path))).toBeLessThanOrEqual(170_000)
})

test('a page is loaded by lazyPage, which recovers automatically', () => {
  const pages = fileURLToPath(new URL('../../web/src/pages/', import.meta.url))
  const routes = readdirSync(pages).map((name) => join(pages, name, 'routes.ts'))
  const others = routes.filter(
    (file) => existsSync(file) && readFileSync(file, 'utf8').includes('lazyRouteComponent'),
  )
  expect(others).toEqual([])
})

test('the service worker may fetch from this server alone, and is asked for again each time', async () => {
  const worker = await stage.app.server.inject('/sw.js')
  expect(worker.headers['content-security-policy']).toBe("default-src 'none'; connect-src 'self'")
  expect(worker.headers['cache-control']).toBe('no-cache')
  expect(worker.body).toContain(`const NOT_PAGES = ${NOT_PAGES}\n`)
  const shell = await stage.app.server.inject('/app-shell')
  const page = await stage.app.server.inject({ url: '/', headers: PAGE })
  expect(shell.body).toContain('<div id="root">')
  expect(shell.headers['content-security-policy']).toBe(page.headers['content-security-policy'])
})

test('what the app asks the server for reaches it from the development server too', () => {
  const folder = fileURLToPath(new URL('../../web/src/', import.meta.url))
  const asked = globSync('**/*.{ts,tsx}', { cwd: folder }).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:fetch|request)\('(\/[^']+)'/g)].map(
      ([, path]) => path,
    ),
  )
  expect(asked).toContain('/health')
  const proxied = Object.keys(viteConfig.server?.proxy ?? {})
  expect(asked.filter((path) => !proxied.some((prefix) => path?.startsWith(prefix)))).toEqual([])
})

/** Every `call('POST /path', …)` and `request('/path', { method: 'POST' … })` of the web app, by method and path. */
function callsOfApp(): string[] {
  const folder = fileURLToPath(new URL('../../web/src/', import.meta.url))
  const files = globSync('**/*.{ts,tsx}', { cwd: folder }).filter((file) => !file.includes('.test.'))
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  return [
    ...[...text.matchAll(/\bcall\(\s*'([A-Z]+ \/[^']+)'/g)].map(([, route]) => `${route}`),
    ...[...text.matchAll(/\brequest(?:Json)?\('(\/api\/[^']+)', \{\s*method: '([A-Z]+)'/g)].map(
      ([, path, method]) => `${method} ${path}`,
    ),
  ]
}

test('every call of the web app is a route of the API description', async () => {
  const { paths } = (await stage.app.server.inject('/openapi.json')).json()
  const made = callsOfApp()
  expect(made).toContain('GET /api/v1/effects')
  expect(made).toContain('POST /api/v1/support/tickets')
  const missing = made.filter((spec) => {
    const [method = '', path = ''] = spec.split(' ')
    return !paths[path]?.[method.toLowerCase()]
  })
  expect(missing).toEqual([])
})
