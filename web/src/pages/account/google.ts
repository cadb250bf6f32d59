import { randomId } from '../../lib/random.ts'
import { tab } from '../../lib/storage.ts'
import type { AppConfig } from '../../session.ts'

/** Where a sign-in goes on, and with which invite code if it makes an account. */
export type Journey = { next: string | undefined; invite?: string | undefined }
type Attempt = Journey & { state: string; nonce: string }
const KEY = 'kv-google'

/** Google's page is visited, not embedded, so no script of Google runs here. It returns with an ID token in the address. */
export function leaveForGoogle(google: NonNullable<AppConfig['google']>, journey: Journey) {
  const attempt: Attempt = { state: randomId(), nonce: randomId(), ...journey }
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

/** What this tab left with. It is read once. */
export function takeAttempt(): Attempt | null {
  const attempt = tab.read<Attempt>(KEY)
  tab.remove(KEY)
  return attempt
}

/** The ID token that came back, if this tab asked for it: state and nonce must be its own. */
export function tokenFromReturn(hash: string, attempt: Attempt | null): string {
  const answer = new URLSearchParams(hash.replace(/^#/, ''))
  const idToken = answer.get('id_token')
  if (!attempt || !idToken || answer.get('state') !== attempt.state || nonceOf(idToken) !== attempt.nonce)
    throw new Error(
      answer.get('error')
        ? 'Google did not sign you in.'
        : 'This answer does not belong to a sign-in from this tab.',
    )
  return idToken
}

function nonceOf(idToken: string): unknown {
  try {
    const payload = (idToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    return (JSON.parse(atob(payload)) as { nonce?: unknown }).nonce
  } catch {
    return undefined
  }
}
