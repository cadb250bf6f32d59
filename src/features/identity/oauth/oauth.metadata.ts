import { GRANTABLE_SCOPES, mcpResource } from './oauth.rules.ts'

// RFC 8414. The issuer is the vault's own address; every client finds the rest from here.
export const authorizationServerMetadata = (baseUrl: string, documentsAllowed: boolean) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  registration_endpoint: `${baseUrl}/oauth/register`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  scopes_supported: [...GRANTABLE_SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: documentsAllowed,
  service_documentation: `${baseUrl}/docs`,
})

// RFC 9728.
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

/** RFC 6750 has ASCII alone here, and Node refuses to send a header with other characters. */
const quoted = (text: string): string => `"${text.replaceAll('…', '...').replace(/["\\]|[^ -~]/g, '')}"`

// RFC 6750 §3 with RFC 9728 §5.1: the header that leads a client from a refusal to the consent page.
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
