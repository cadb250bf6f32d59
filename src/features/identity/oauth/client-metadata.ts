import { z } from 'zod'
import { plainName } from '../../../core/names.ts'
import { sizeIssues } from '../../../core/sizes.ts'
import { findSecrets, redact, sanitise } from '../../redaction/redact.ts'
import { OAuthProblem, redirectProblem } from './oauth.rules.ts'

// RFC 7591 §2, the part that matters here. Unknown members are ignored, as the RFC demands.
export const Metadata = z.object({
  redirect_uris: z.array(z.string().max(2000)).min(1).max(20),
  client_name: z.string().max(1000).overwrite(plainName).max(200).optional(),
  client_uri: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional()
    .catch(undefined),
  token_endpoint_auth_method: z
    .enum(['none', 'client_secret_basic', 'client_secret_post'])
    .default('client_secret_basic'),
  grant_types: z.array(z.string().max(200)).max(20).default(['authorization_code']),
  response_types: z.array(z.string().max(200)).max(20).default(['code']),
})

export type ClientMetadata = {
  redirectUris: string[]
  name: string
  uri: string | null
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post'
  mayRefresh: boolean
}

const wrongMetadata = (path: readonly PropertyKey[], message: string) =>
  new OAuthProblem(
    path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    `${path.join('.') || 'body'}: ${message}`,
  )

/** It is compared letter by letter when the app is connected, so it cannot be stored in another form. */
function refuseSecret(uri: string): void {
  const [found] = findSecrets(uri)
  if (found)
    throw new OAuthProblem(
      'invalid_redirect_uri',
      `redirect_uris: an address contains a secret (${found.kind}). Register an address without it.`,
    )
}

export function parseClientMetadata(body: unknown): ClientMetadata {
  const [tooLarge] = sizeIssues(Metadata, body)
  if (tooLarge) throw wrongMetadata(tooLarge.path, tooLarge.msg)
  const parsed = Metadata.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw wrongMetadata(issue?.path ?? [], issue?.message ?? 'invalid')
  }
  const given = parsed.data
  for (const uri of given.redirect_uris) {
    const problem = redirectProblem(uri)
    if (problem)
      throw new OAuthProblem(
        'invalid_redirect_uri',
        `${redact(uri).text.slice(0, 200).toWellFormed()} ${problem}`,
      )
    refuseSecret(uri)
  }
  if (!given.grant_types.includes('authorization_code') || !given.response_types.includes('code')) {
    throw new OAuthProblem('invalid_client_metadata', 'Only the authorization code grant is offered')
  }
  return {
    redirectUris: [...new Set(given.redirect_uris)],
    name: sanitise(given.client_name || 'Unnamed app').text,
    uri: given.client_uri === undefined ? null : redact(given.client_uri).text,
    authMethod: given.token_endpoint_auth_method,
    mayRefresh: given.grant_types.includes('refresh_token'),
  }
}

// A document may only describe itself, and a client that anybody can impersonate by reading a public document
// has no secret to prove itself with.
export function parseClientDocument(clientId: string, body: unknown): ClientMetadata {
  const members = z.looseObject({ client_id: z.literal(clientId) }).safeParse(body)
  if (!members.success)
    throw new OAuthProblem('invalid_client', 'The client metadata document names another client_id', 401)
  if ('client_secret' in members.data) {
    throw new OAuthProblem('invalid_client', 'The client metadata document must not contain a secret', 401)
  }
  return parseClientMetadata({ ...members.data, token_endpoint_auth_method: 'none' })
}
