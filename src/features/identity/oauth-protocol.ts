import type { Config } from '../../config.ts'
import { sha256 } from '../../core/crypto.ts'
import { canonicalAddress, isLoopback } from '../../core/own-addresses.ts'
import { AGENT_KEYS, TOOL_SCOPES } from '../../shared/scopes.ts'

// Without `account`: an app could make API keys that still work after it is disconnected.
export const GRANTABLE_SCOPES = TOOL_SCOPES
// The metadata does not list `AGENT_KEYS`, because clients request whatever is listed.
const BY_NAME = [...GRANTABLE_SCOPES, AGENT_KEYS] as const
export type GrantableScope = (typeof BY_NAME)[number]

export const SCOPE_MEANING: Record<GrantableScope, string> = {
  search: 'Search and read your cards, your teams and your project memory',
  record: 'Write to your project memory and share cards inside your private workspaces',
  'case:write': 'Create and edit cards',
  publish: 'Publish cards to the public library, and open your workspaces to strangers',
  'workspace:write': 'Create workspaces, manage members and invitations',
  [AGENT_KEYS]:
    'Make keys for the agents on your computer. A key may do what is ticked here, and lasts until you delete it under API keys',
}

// OAuth errors (RFC 6749 §5.2) must not leave the OAuth routes, whose form of error differs.
export class OAuthProblem extends Error {
  readonly error: string
  readonly status: number
  constructor(error: string, description: string, status = 400) {
    super(description)
    this.error = error
    this.status = status
  }
}

// Schemes that a browser would execute or open as content, or that start something other than an app.
const UNSAFE_SCHEMES = new Set([
  'javascript:',
  'data:',
  'file:',
  'filesystem:',
  'blob:',
  'about:',
  'vbscript:',
  'view-source:',
  'jar:',
  'intent:',
  'content:',
  'ws:',
  'wss:',
  'ftp:',
])
// Returns whether a scheme is a reversed domain (RFC 8252 §7.1).
const hasDot = (url: URL) => url.protocol.includes('.')

export const isOnThisComputer = (url: URL): boolean => url.protocol === 'http:' && isLoopback(url.hostname)

// Returns why a redirect address is not acceptable, or null.
export function redirectProblem(text: string): string | null {
  if (text.length > 2000) return 'is longer than 2000 characters'
  if (text.includes('#')) return 'must not have a fragment'
  if (!URL.canParse(text)) return 'is not an absolute URL'
  const url = new URL(text)
  if (url.username || url.password) return 'must not carry credentials'
  if (UNSAFE_SCHEMES.has(url.protocol)) return `uses the scheme ${url.protocol} which cannot be redirected to`
  if (url.protocol === 'http:' && !isOnThisComputer(url)) return 'uses http; only loopback addresses may'
  if (!hasDot(url) && url.host === '') return 'is not an address of an app: it names no host'
  return null
}

// Only loopback and reversed-domain schemes are safe: anybody can register any other address.
export function isSafeUnasked(text: string): boolean {
  const url = new URL(text)
  return isOnThisComputer(url) || hasDot(url)
}

// Loopback addresses match on any port (RFC 8252 §7.3), others exactly.
export function redirectMatches(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true
  if (redirectProblem(asked)) return false
  const url = new URL(asked)
  if (!isOnThisComputer(url)) return false
  url.port = ''
  return registered.some((candidate) => {
    const other = new URL(candidate)
    if (!isOnThisComputer(other)) return false
    other.port = ''
    return other.href === url.href
  })
}

// Ignores unknown scopes such as `offline_access`; no scope means every scope that an app may have.
export function parseScopes(text: string | undefined): GrantableScope[] {
  const asked = (text ?? '').split(/\s+/).filter(Boolean)
  if (asked.length === 0) return [...GRANTABLE_SCOPES]
  const known = BY_NAME.filter((scope) => asked.includes(scope))
  if (known.length === 0)
    throw new OAuthProblem('invalid_scope', `Known scopes: ${GRANTABLE_SCOPES.join(' ')}`)
  return known
}

const mcpResource = (baseUrl: string): string => `${baseUrl}/mcp`

const inSmallLetters = (address: string) =>
  address.replace(/^[a-z]+:\/\/[^/?#]*/i, (origin) => origin.toLowerCase())

/** Lowers scheme and host, as MCP demands, and drops the slash at the end. */
export const canonicalResource = (config: Pick<Config, 'baseUrl'>, asked: string): string =>
  canonicalAddress(config, inSmallLetters(asked).replace(/\/$/, ''))

export function parseResource(asked: string | undefined, config: Pick<Config, 'baseUrl'>): string {
  const { baseUrl } = config
  const resource = canonicalResource(config, asked || mcpResource(baseUrl))
  if (resource === baseUrl || resource === mcpResource(baseUrl)) return resource
  throw new OAuthProblem('invalid_target', `This server protects ${mcpResource(baseUrl)}`)
}

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/
export const isChallenge = (text: string | undefined): text is string =>
  /^[A-Za-z0-9_-]{43}$/.test(text ?? '')
export const pkceMatches = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && sha256(verifier) === challenge

export function withQuery(address: string, values: Record<string, string | undefined>): string {
  const url = new URL(address)
  for (const [key, value] of Object.entries(values)) if (value !== undefined) url.searchParams.set(key, value)
  return url.href
}

export const authorizationServerMetadata = (baseUrl: string, documentsAllowed: boolean) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  registration_endpoint: `${baseUrl}/oauth/register`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
  scopes_supported: [...GRANTABLE_SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: [
    'authorization_code',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: documentsAllowed,
  service_documentation: `${baseUrl}/docs`,
})

// Metadata of RFC 9728.
export const protectedResourceMetadata = (baseUrl: string) => ({
  resource: mcpResource(baseUrl),
  resource_name: 'Knowledge Vault',
  authorization_servers: [baseUrl],
  scopes_supported: [...GRANTABLE_SCOPES],
  bearer_methods_supported: ['header'],
  resource_documentation: `${baseUrl}/docs`,
})

export function resourceMetadataUrl(baseUrl: string): string {
  const url = new URL(mcpResource(baseUrl))
  url.pathname = `/.well-known/oauth-protected-resource${url.pathname}`
  return url.href
}

/** Quotes a text in ASCII: RFC 6750 allows nothing else, and Node refuses other characters in headers. */
const quoted = (text: string): string => `"${text.replaceAll('…', '...').replace(/["\\]|[^ -~]/g, '')}"`

// Returns the header that leads a client from a refusal to the consent page (RFC 6750 §3, RFC 9728 §5.1).
export function bearerChallenge(
  baseUrl: string,
  scopes: readonly string[],
  refusal?: { error: string; description: string },
): string {
  const parts = [
    `resource_metadata=${quoted(resourceMetadataUrl(baseUrl))}`,
    `scope=${quoted(scopes.join(' '))}`,
  ]
  if (refusal) {
    parts.unshift(`error=${quoted(refusal.error)}`, `error_description=${quoted(refusal.description)}`)
  }
  return `Bearer ${parts.join(', ')}`
}
