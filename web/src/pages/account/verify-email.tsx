import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ApiError, call } from '../../api/client.ts'
import { refreshMe } from '../../session.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { AccountCard, LINK_CLASS } from './account-card.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/open/verify')

/** Confirmed by a click: mail scanners open links, and the token works once. */
export function VerifyEmail() {
  const { token } = route.useSearch()
  const verify = useMutation({
    mutationFn: () => call('POST /api/v1/auth/verify-email', { token: token ?? '' }),
    onSuccess: refreshMe,
  })
  // The link proves the mailbox; signing in proves the account.
  const isElsewhere = verify.error instanceof ApiError && verify.error.status === 401
  if (verify.isSuccess)
    return (
      <AccountCard title={strings.addressConfirmed}>
        <Notice tone="ok">{strings.addressIsConfirmed}</Notice>
        <LinkButton to="/" look="primary">
          {strings.goToSearch}
        </LinkButton>
      </AccountCard>
    )
  return (
    <AccountCard title={strings.confirmYourAddress} lead={strings.confirmLead}>
      <FormError error={verify.error} />
      {isElsewhere && token && (
        <p className="flex flex-wrap gap-4 text-sm">
          <Link to="/sign-in" search={{ next: `/verify?token=${token}` }} className={LINK_CLASS}>
            {strings.signIn}
          </Link>
          <Link to="/reset" search={{}} className={LINK_CLASS}>
            {strings.resetThePassword}
          </Link>
        </p>
      )}
      {token ? (
        <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate()} size="lg">
          {strings.confirm}
        </Button>
      ) : (
        <Notice tone="warn">{strings.linkIsIncomplete}</Notice>
      )}
    </AccountCard>
  )
}
