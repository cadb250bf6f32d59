import { useQuery } from '@tanstack/react-query'
import { randomId, tab } from '../../lib/storage.ts'
import { type AppConfig, configQuery } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import * as strings from './strings.ts'

export function GoogleButton(journey: Journey) {
  const { data: config } = useQuery(configQuery)
  const google = config?.google
  if (!google) return null
  return (
    <>
      <Button onClick={() => leaveForGoogle(google, journey)} size="lg">
        <svg className="size-4" viewBox="0 0 16 16" aria-hidden>
          <path
            className="fill-google-blue"
            d="M15.7 8.2c0-.6-.1-1.1-.2-1.6H8v3h4.3a3.7 3.7 0 0 1-1.6 2.4v2h2.6a7.8 7.8 0 0 0 2.4-5.8Z"
          />
          <path
            className="fill-google-green"
            d="M8 16c2.2 0 4-.7 5.3-2l-2.6-2a4.8 4.8 0 0 1-7.2-2.5H.8v2A8 8 0 0 0 8 16Z"
          />
          <path
            className="fill-google-yellow"
            d="M3.5 9.5a4.8 4.8 0 0 1 0-3v-2H.8a8 8 0 0 0 0 7.1l2.7-2.1Z"
          />
          <path
            className="fill-google-red"
            d="M8 3.2c1.2 0 2.3.4 3.1 1.2l2.3-2.3A8 8 0 0 0 .8 4.5l2.7 2A4.8 4.8 0 0 1 8 3.2Z"
          />
        </svg>
        {strings.continueWithGoogle}
      </Button>
      <div className="flex items-center gap-3 text-xs text-faint before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        {strings.or}
      </div>
    </>
  )
}

export type Journey = { next: string | undefined; invite?: string | undefined }
type Attempt = Journey & { state: string; nonce: string }
const KEY = 'kv-google'

/** Visits Google's page, so no script of Google runs here. It returns with an ID token in the address. */
function leaveForGoogle(google: NonNullable<AppConfig['google']>, journey: Journey) {
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

export function takeAttempt(): Attempt | null {
  const attempt = tab.read<Attempt>(KEY)
  tab.remove(KEY)
  return attempt
}

/** Returns the ID token if state and nonce are those of this tab. */
export function tokenFromReturn(hash: string, attempt: Attempt | null): string {
  const answer = new URLSearchParams(hash.replace(/^#/, ''))
  const idToken = answer.get('id_token')
  if (!attempt || !idToken || answer.get('state') !== attempt.state || nonceOf(idToken) !== attempt.nonce)
    throw new Error(answer.get('error') ? strings.googleRefused : strings.googleOtherTab)
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
