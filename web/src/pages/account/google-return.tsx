import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { queryClient } from '../../api/query.ts'
import { leaveForConsent } from '../../lib/safe-next.ts'
import { meQuery, signInWithGoogle } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { FormError, Skeleton } from '../../ui/states.tsx'
import { AccountCard } from './account-card.tsx'
import { type Journey, takeAttempt, tokenFromReturn } from './google.tsx'
import * as strings from './strings.ts'

// Read once and immediately: the token must not stay in the address, and StrictMode runs effects twice.
let landing: Promise<Landed | Failed> | null = null

type Landed = Journey & { isNew: boolean }
type Failed = Journey & { error: unknown }

async function land(): Promise<Landed | Failed> {
  const { hash, pathname } = location
  history.replaceState(null, '', pathname)
  const attempt = takeAttempt()
  const journey = { next: attempt?.next, invite: attempt?.invite }
  try {
    // Back leads here again, without an answer of Google.
    if (!hash && (await queryClient.ensureQueryData(meQuery))) return { next: undefined, isNew: false }
    const id_token = tokenFromReturn(hash, attempt)
    const user = await signInWithGoogle({ id_token, ...(journey.invite && { invite_code: journey.invite }) })
    return { ...journey, isNew: !user.onboarding_completed }
  } catch (error) {
    return { ...journey, error }
  }
}

export function GoogleReturn() {
  const navigate = useNavigate()
  const [failed, setFailed] = useState<Failed | null>(null)
  useEffect(() => {
    landing ??= land()
    landing
      .then((landed) => {
        if ('error' in landed) return setFailed(landed)
        const { next, isNew } = landed
        if (!leaveForConsent(next))
          navigate({ to: isNew && !next ? '/welcome' : (next ?? '/'), replace: true })
      })
      .finally(() => {
        landing = null
      })
  }, [navigate])
  return (
    <AccountCard title={failed ? strings.googleFailed : strings.signingYouIn}>
      {failed ? (
        <>
          <FormError error={failed.error} />
          <Back {...failed} />
        </>
      ) : (
        <Skeleton className="w-2/3" />
      )}
    </AccountCard>
  )
}

/** An invited person returns to the form with the code. */
const Back = ({ next, invite }: Journey) =>
  invite ? (
    <LinkButton to="/sign-up" search={{ next, invite }} look="primary">
      {strings.backToSignUp}
    </LinkButton>
  ) : (
    <LinkButton to="/sign-in" search={{ next }} look="primary">
      {strings.backToSignIn}
    </LinkButton>
  )
