import { createRemoteJWKSet, jwtVerify } from 'jose'

export type Identity = { subject: string; email: string; displayName: string | undefined }

export type IdentityProvider = {
  clientId: string
  /** Returns the identity that a token proves, or null for an invalid token. */
  verify: (idToken: string) => Promise<Identity | null>
}

export type GoogleOptions = { clientId: string; jwksUrl: string; issuer: string }

/** Returns both spellings of Google's issuer: with and without the scheme. */
const issuerSpellings = (issuer: string) => [issuer, issuer.replace(/^https:\/\//, '')]

export function googleIdentity({ clientId, jwksUrl, issuer }: GoogleOptions): IdentityProvider {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 5000 })
  return {
    clientId,
    async verify(idToken) {
      try {
        const { payload } = await jwtVerify(idToken, keys, {
          audience: clientId,
          issuer: issuerSpellings(issuer),
          algorithms: ['RS256', 'ES256'],
          requiredClaims: ['exp', 'sub', 'email'],
        })
        // An unverified address may belong to somebody else: never link an account by it.
        if (payload.email_verified !== true || typeof payload.email !== 'string' || !payload.sub) return null
        const name = typeof payload.name === 'string' ? payload.name : undefined
        return { subject: payload.sub, email: payload.email, displayName: name }
      } catch (error) {
        if (isTokenFault(error)) return null
        throw error
      }
    },
  }
}

/** Tells a faulty token from a key server that does not answer. */
function isTokenFault(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return /^ERR_(JWT|JWS|JOSE_ALG|JWKS_NO_MATCHING_KEY|JWK_INVALID|JOSE_NOT_SUPPORTED)/.test(
    String(error.code),
  )
}
