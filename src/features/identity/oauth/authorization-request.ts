import type { Ctx } from '../../../core/context.ts'
import { findClient, type OAuthClient } from './clients.ts'
import {
  type GrantableScope,
  isChallenge,
  OAuthProblem,
  parseResource,
  parseScopes,
  redirectMatches,
  withQuery,
} from './oauth.rules.ts'

/** Fields of the request that the consent form carries along and sends back. */
const REQUEST_FIELDS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'resource',
  'state',
] as const

export type AuthorizationRequest = {
  client: OAuthClient
  redirectUri: string
  challenge: string
  resource: string
  scopes: GrantableScope[]
  state: string | undefined
  fields: Record<string, string>
}

/** A refusal that the client learns by redirect. Until the redirect address is checked, errors are shown on our own page. */
export class RedirectedProblem extends Error {
  readonly location: string
  constructor(location: string, message: string) {
    super(message)
    this.location = location
  }
}

export const refusalLocation = (
  redirectUri: string,
  problem: { error: string; message: string },
  state: string | undefined,
  issuer: string,
): string =>
  withQuery(redirectUri, { error: problem.error, error_description: problem.message, state, iss: issuer })

function redirectOf(client: OAuthClient, asked: string | undefined): string {
  const only = client.redirectUris.length === 1 ? client.redirectUris[0] : undefined
  const redirectUri = asked ?? only
  if (redirectUri === undefined)
    throw new OAuthProblem('invalid_request', 'The app named no address to return to.')
  if (!redirectMatches(client.redirectUris, redirectUri))
    throw new OAuthProblem(
      'invalid_request',
      'The app asked to return to an address that it has not registered.',
    )
  return redirectUri
}

/** Reads and checks a request for authorization, from the query of the page or from its form. */
export async function readAuthorizationRequest(
  ctx: Ctx,
  given: URLSearchParams,
  issuer: string,
): Promise<AuthorizationRequest> {
  const value = (name: string) => given.get(name) || undefined
  const client = await findClient(ctx, value('client_id'))
  const redirectUri = redirectOf(client, value('redirect_uri'))
  const state = value('state')
  try {
    const repeated = REQUEST_FIELDS.find((name) => given.getAll(name).length > 1)
    if (repeated) throw new OAuthProblem('invalid_request', `${repeated} is given twice.`)
    if (value('response_type') !== 'code')
      throw new OAuthProblem('unsupported_response_type', 'response_type must be code.')
    if (value('request') || value('request_uri'))
      throw new OAuthProblem('request_not_supported', 'Request objects are not supported.')
    const challenge = value('code_challenge')
    if (!isChallenge(challenge) || value('code_challenge_method') !== 'S256')
      throw new OAuthProblem('invalid_request', 'PKCE with code_challenge_method=S256 is required.')
    if (value('prompt') === 'none')
      throw new OAuthProblem('consent_required', 'A person must consent on the page.')
    return {
      client,
      redirectUri,
      challenge,
      scopes: parseScopes(value('scope')),
      resource: parseResource(value('resource'), ctx.config),
      state,
      fields: Object.fromEntries(
        REQUEST_FIELDS.flatMap((name) => (value(name) ? [[name, value(name) ?? '']] : [])),
      ),
    }
  } catch (error) {
    if (!(error instanceof OAuthProblem)) throw error
    throw new RedirectedProblem(refusalLocation(redirectUri, error, state, issuer), error.message)
  }
}
