import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import {
  type DocumentNet,
  documentUrl,
  fetchClientDocument,
  isPublicAddress,
  parseClientDocument,
  parseClientMetadata,
} from './oauth-clients.ts'
import { resourceCovers } from './oauth-grants.ts'
import {
  bearerChallenge,
  isSafeUnasked,
  parseResource,
  parseScopes,
  pkceMatches,
  redirectMatches,
  redirectProblem,
  resourceMetadataUrl,
} from './oauth-protocol.ts'
import { consentHeaders, consentPage } from './oauth-routes.ts'

test.each([
  'https://app.example.com/cb',
  'http://127.0.0.1:3000/cb',
  'http://[::1]/cb',
  'http://localhost/cb',
  'cursor://anysphere.cursor/cb',
  'com.example.app:/cb',
])('an app may be sent back to %s', (uri) => expect(redirectProblem(uri)).toBeNull())

test.each([
  'http://app.example.com/cb',
  'javascript:alert(1)',
  'data:text/html,x',
  'filesystem:http://127.0.0.1:8080/temporary/x.html',
  'blob:https://a.example.com/x',
  'intent://scan/#Intent',
  'intent://scan/',
  'ms-settings:privacy',
  'mailto:somebody@example.com',
  'tel:1',
  'https://a.example.com/#x',
  'https://user:pw@a.example.com/',
  '/cb',
])('an app may not be sent back to %s', (uri) => expect(redirectProblem(uri)).toBeTypeOf('string'))

test.each([
  ['http://127.0.0.1:3000/cb', true],
  ['com.example.app:/cb', true],
  ['cursor://anysphere.cursor/cb', false],
  ['search-ms://query/x', false],
  ['https://app.example.com/cb', false],
])('whether somebody who has not consented is sent to %s by itself: %s', (uri, sent) =>
  expect(isSafeUnasked(uri)).toBe(sent),
)

test('the name of an app reads as it is written', () => {
  const named = (client_name: string) =>
    parseClientMetadata({ redirect_uris: ['https://app.example.com/cb'], client_name }).name
  expect(named('Vault\u202e elosnoC\u2066')).toBe('Vault elosnoC')
  expect(named('\u202e')).toBe('Unnamed app')
  expect(() => named('x'.repeat(201))).toThrow('client_name')
})

test('a loopback redirect matches on any port, everything else to the letter', () => {
  expect(redirectMatches(['http://127.0.0.1/cb'], 'http://127.0.0.1:51234/cb')).toBe(true)
  expect(redirectMatches(['http://127.0.0.1:1/cb'], 'http://127.0.0.1:2/cb')).toBe(true)
  expect(redirectMatches(['http://127.0.0.1/cb'], 'http://127.0.0.1/other')).toBe(false)
  expect(redirectMatches(['http://localhost/cb'], 'http://127.0.0.1/cb')).toBe(false)
  expect(redirectMatches(['https://a.example.com/cb'], 'https://a.example.com:8443/cb')).toBe(false)
  expect(redirectMatches(['https://a.example.com/cb'], 'https://a.example.com/cb?x=1')).toBe(false)
})

test('scopes: none asked means all that may be granted, unknown ones are passed over, only unknown ones refused', () => {
  expect(parseScopes(undefined)).toHaveLength(5)
  expect(parseScopes('publish offline_access search')).toEqual(['search', 'publish'])
  expect(() => parseScopes('account')).toThrow('Known scopes')
})

test('a token for /mcp opens /mcp and the tools below it and nothing else', () => {
  const base = 'https://vault.example.com'
  expect(parseResource(undefined, { baseUrl: base })).toBe(`${base}/mcp`)
  expect(parseResource(`${base}/`, { baseUrl: base })).toBe(base)
  expect(parseResource('HTTPS://Vault.Example.COM/mcp', { baseUrl: base })).toBe(`${base}/mcp`)
  expect(() => parseResource(`${base}/MCP`, { baseUrl: base })).toThrow()
  expect(() => parseResource('https://other.example.com/mcp', { baseUrl: base })).toThrow()
  const local = { baseUrl: 'http://127.0.0.1:8080' }
  expect(parseResource('http://localhost:8080/mcp/', local)).toBe('http://127.0.0.1:8080/mcp')
  expect(parseResource('http://[::1]:8080', local)).toBe('http://127.0.0.1:8080')
  for (const other of ['http://localhost:9/mcp', 'https://localhost:8080/mcp', 'http://localhost:80801/mcp'])
    expect(() => parseResource(other, local), other).toThrow()
  expect(() => parseResource('http://localhost:8080/mcp', { baseUrl: base })).toThrow()
  expect(resourceCovers(`${base}/mcp`, base, '/mcp?profile=core')).toBe(true)
  expect(resourceCovers(`${base}/mcp`, base, '/mcp/tools/get_card')).toBe(true)
  expect(resourceCovers(`${base}/mcp`, base, '/mcpx')).toBe(false)
  expect(resourceCovers(`${base}/mcp`, base, '/api/v1/cards')).toBe(false)
  expect(resourceCovers(base, base, '/api/v1/cards')).toBe(true)
})

test('PKCE: only the verifier of the challenge fits (the example of RFC 7636)', () => {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  expect(pkceMatches('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', challenge)).toBe(true)
  expect(pkceMatches('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXX', challenge)).toBe(false)
  expect(pkceMatches('short', challenge)).toBe(false)
})

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.20.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:db8::1',
  'ff02::1',
  'not-an-ip',
])('%s is not on the public internet', (address) => expect(isPublicAddress(address)).toBe(false))

test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001:80f::200e'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each([
  'https://a.example.com/',
  'https://a.example.com:8443/c',
  'https://u@a.example.com/c',
  'https://a.example.com/c#x',
  'https://a.example.com/a/../c',
])('%s cannot be a client document', (id) => expect(() => documentUrl(id)).toThrow())

async function withDocument(
  answer: { status?: number; type?: string; body: string; location?: string },
  run: (net: DocumentNet, hits: () => number) => Promise<void>,
) {
  let hits = 0
  const server = createServer((_req, res) => {
    hits++
    res.writeHead(answer.status ?? 200, {
      'content-type': answer.type ?? 'application/json',
      ...(answer.location ? { location: answer.location } : {}),
    })
    res.end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const net: DocumentNet = {
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    allowed: () => true,
    request: (url, options, onAnswer) =>
      httpRequest({ ...options, host: url.hostname, port, path: url.pathname }, onAnswer),
  }
  try {
    await run(net, () => hits)
  } finally {
    server.close()
  }
}

const ID = 'https://client.example.com/client.json'

test('a client document is fetched from the very address that was checked', async () => {
  const body = JSON.stringify({
    client_id: ID,
    client_name: 'Editor',
    redirect_uris: ['http://127.0.0.1/cb'],
  })
  await withDocument({ body }, async (net) => {
    expect(parseClientDocument(ID, await fetchClientDocument(ID, net))).toMatchObject({
      name: 'Editor',
      authMethod: 'none',
    })
  })
})

test('a host with one private address among public ones is refused before any connection', async () => {
  await withDocument({ body: '{}' }, async (net, hits) => {
    const mixed = {
      ...net,
      allowed: isPublicAddress,
      lookup: async () => [
        { address: '8.8.8.8', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    }
    await expect(fetchClientDocument(ID, mixed)).rejects.toThrow('not on the public internet')
    expect(hits()).toBe(0)
  })
})

test('a redirect is not followed, a large or non-JSON answer is not taken', async () => {
  await withDocument({ status: 302, location: 'http://127.0.0.1/', body: '' }, async (net, hits) => {
    await expect(fetchClientDocument(ID, net)).rejects.toThrow('answered 302')
    expect(hits()).toBe(1)
  })
  await withDocument({ body: JSON.stringify({ pad: 'x'.repeat(40_000) }) }, async (net) => {
    await expect(fetchClientDocument(ID, net)).rejects.toThrow('larger than')
  })
  await withDocument({ type: 'text/html', body: '<p>' }, async (net) => {
    await expect(fetchClientDocument(ID, net)).rejects.toThrow('not served as JSON')
  })
})

test('a document that names another client or brings a secret is refused', () => {
  expect(() =>
    parseClientDocument(ID, { client_id: `${ID}x`, redirect_uris: ['http://127.0.0.1/cb'] }),
  ).toThrow('another client_id')
  expect(() =>
    parseClientDocument(ID, { client_id: ID, client_secret: 'x', redirect_uris: ['http://127.0.0.1/cb'] }),
  ).toThrow('secret')
})

test('a registration says what is wrong with it', () => {
  expect(() => parseClientMetadata({})).toThrow('redirect_uris')
  expect(() => parseClientMetadata({ redirect_uris: ['http://evil.example.com/'] })).toThrow('only loopback')
  expect(() =>
    parseClientMetadata({ redirect_uris: ['http://127.0.0.1/'], grant_types: ['implicit'] }),
  ).toThrow('authorization code')
})

test('the consent page names client, scopes and destination, and what a client writes stays text', () => {
  const html = consentPage({
    clientName: '<script>alert(1)</script>',
    clientHost: null,
    redirectUri: 'http://127.0.0.1:9/cb',
    scopes: ['search', 'publish'],
    userEmail: 'dev@example.com',
    otherAccount: '/sign-in?other=true',
    fields: { state: '"><b>' },
  })
  expect(html).not.toContain('<script>')
  expect(html).not.toContain('"><b>')
  expect(html).toContain('dev@example.com')
  expect(html).toContain('an app on this computer')
  expect(html).toContain('value="search" checked>')
  // Scopes that reach strangers are ticked on purpose.
  expect(html).toMatch(/value="publish" >/)
})

test('the policy of the page lets the form lead to the client and nowhere else', () => {
  const policy = (redirectUri: string | null) => consentHeaders(redirectUri)['content-security-policy']
  expect(policy('cursor://x/cb')).toContain("form-action 'self' cursor:;")
  expect(policy('https://a.example.com/cb')).toContain("form-action 'self' https://a.example.com;")
  expect(policy(null)).toContain("form-action 'self';")
})

test('a refusal leads to the metadata of the resource', () => {
  expect(resourceMetadataUrl('https://v.example.com/vault')).toBe(
    'https://v.example.com/.well-known/oauth-protected-resource/vault/mcp',
  )
  expect(
    bearerChallenge('https://v.example.com', ['search'], {
      error: 'invalid_token',
      description: 'say "why"',
    }),
  ).toBe(
    'Bearer error="invalid_token", error_description="say why", resource_metadata="https://v.example.com/.well-known/oauth-protected-resource/mcp", scope="search"',
  )
})
