import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { WEB_POLICY } from '../../src/doors/http/web-page.ts'
import { calls } from '../../web/src/api/routes.ts'
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

  test('the link of an invitation is a page to whoever does not ask for JSON', async () => {
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

test('the search page loads at most 200 kB of compressed script', () => {
  const dist = fileURLToPath(new URL('../../web/dist/', import.meta.url))
  type Chunk = { file: string; isEntry?: boolean; imports?: string[] }
  const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8')) as Record<string, Chunk>
  const needed = new Set<string>()
  const add = (name: string) => {
    if (needed.has(name)) return
    needed.add(name)
    for (const next of manifest[name]?.imports ?? []) add(next)
  }
  for (const [name, chunk] of Object.entries(manifest)) if (chunk.isEntry) add(name)
  const bytes = [...needed].map((name) => gzipSync(readFileSync(dist + manifest[name]?.file)).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000)
})

test('every call of the web app is a route of the API description', async () => {
  const { paths } = (await stage.app.server.inject('/openapi.json')).json()
  const missing = Object.values(calls)
    .map((call) => call.spec.split(' ') as [string, string])
    .filter(([method, path]) => !paths[path]?.[method.toLowerCase()])
  expect(missing.map((parts) => parts.join(' '))).toEqual([])
})
