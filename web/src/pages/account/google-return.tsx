import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { queryClient } from '../../api/query.ts'
import { leaveForConsent } from '../../lib/safe-next.ts'
import { meQuery, signInWithGoogle } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { FormError, Skeleton } from '../../ui/states.tsx'
import { AccountCard } from './account-card.tsx'
import { tokenFromReturn } from './google.ts'

// Read once and at once: the token must not stay in the address, and StrictMode runs effects twice.
let landing: Promise<{ next: string | undefined; isNew: boolean }> | null = null

async function land() {
  // Back leads here once more, without an answer of Google.
  if (!location.hash && (await queryClient.ensureQueryData(meQuery))) return { next: undefined, isNew: false }
  const { idToken, next } = tokenFromReturn(location.hash)
  history.replaceState(null, '', location.pathname)
  const user = await signInWithGoogle({ id_token: idToken })
  return { next, isNew: !user.onboarding_completed }
}

export function GoogleReturn() {
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    landing ??= land()
    landing
      .then(({ next, isNew }) => {
        if (!leaveForConsent(next))
          navigate({ to: isNew && !next ? '/welcome' : (next ?? '/'), replace: true })
      }, setError)
      .finally(() => {
        landing = null
      })
  }, [navigate])
  return (
    <AccountCard title={error ? 'Google sign-in did not work' : 'Signing you in'}>
      {error ? (
        <>
          <FormError error={error} />
          <LinkButton to="/sign-in" look="primary">
            Back to sign in
          </LinkButton>
        </>
      ) : (
        <Skeleton className="w-2/3" />
      )}
    </AccountCard>
  )
}
