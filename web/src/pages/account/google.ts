import { randomId } from '../../lib/random.ts'
import { tab } from '../../lib/storage.ts'
import type { AppConfig } from '../../session.ts'

type Attempt = { state: string; nonce: string; next: string | undefined }
const KEY = 'kv-google'

/** Google's page is visited, not embedded, so no script of Google runs here. It returns with an ID token in the address. */
export function leaveForGoogle(google: NonNullable<AppConfig['google']>, next: string | undefined) {
  const attempt: Attempt = { state: randomId(), nonce: randomId(), next }
  tab.write(KEY, attempt)
  const query = new URLSearchParams({
    client_id: google.client_id,
    redirect_uri: `${location.origin}/auth/google`,
    response_type: 'id_token',
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
  })
  location.assign(`${google.authorize_url}?${query}`)
}

/** The ID token that came back, if this tab asked for it: state and nonce must be its own. */
export function tokenFromReturn(hash: string): { idToken: string; next: string | undefined } {
  const answer = new URLSearchParams(hash.replace(/^#/, ''))
  const attempt = tab.read<Attempt>(KEY)
  tab.remove(KEY)
  const idToken = answer.get('id_token')
  if (!attempt || !idToken || answer.get('state') !== attempt.state || nonceOf(idToken) !== attempt.nonce)
    throw new Error(
      answer.get('error')
        ? 'Google did not sign you in.'
        : 'This answer does not belong to a sign-in from this tab.',
    )
  return { idToken, next: attempt.next }
}

function nonceOf(idToken: string): unknown {
  try {
    const payload = (idToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    return (JSON.parse(atob(payload)) as { nonce?: unknown }).nonce
  } catch {
    return undefined
  }
}
