import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Gift, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { useAttempt } from '../../api/query.ts'
import type { InviteCode, Redeemed } from '../../api/types.ts'
import { credits, formatDay } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyState, FormError, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { billingChanged, codesQuery } from './checkout.ts'
import * as strings from './strings.ts'

const route = getRouteApi('/app/billing')

export function InviteCodes() {
  return (
    <>
      <Section title={strings.redeemACode} lead={strings.redeemLead}>
        <Redeem />
      </Section>
      <Section title={strings.yourCodes} lead={strings.yourCodesLead}>
        <Create />
        <Codes />
      </Section>
    </>
  )
}

function redeemedWords({ credits_awarded, credits_pending, credits_balance }: Redeemed): string {
  if (credits_awarded > 0) return strings.creditsAdded(credits(credits_awarded), credits(credits_balance))
  if (credits_pending > 0) return strings.creditsPending(credits(credits_pending))
  return strings.redeemedWithoutCredits
}

function Redeem() {
  const { code: given = '' } = route.useSearch()
  const { text: code, change, dropSent } = useKeptText(undefined, given)
  const redeem = useMutation({
    mutationFn: (typed: string) => call('POST /api/v1/billing/redeem-invite', { code: typed.trim() }),
    onSuccess: async (done, typed) => {
      dropSent(typed)
      toast(redeemedWords(done))
      await billingChanged()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    redeem.mutate(code)
  }
  return (
    <form className="grid max-w-narrow gap-3" onSubmit={submit}>
      <div className="flex items-end gap-2">
        <div className="grow">
          <TextField
            label={strings.inviteCode}
            required
            value={code}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change(event.target.value)}
          />
        </div>
        <Button type="submit" busy={redeem.isPending} disabled={!code.trim()}>
          {strings.redeem}
        </Button>
      </div>
      <FormError error={redeem.error} />
    </form>
  )
}

function Create() {
  const { text: note, change, dropSent } = useKeptText(undefined, '')
  const [days, setDays] = useState('30')
  const attempt = useAttempt()
  const create = useMutation({
    mutationFn: (written: string) => {
      const input = {
        expires_in_days: Number(days),
        ...(written.trim() ? { note: written.trim() } : {}),
      }
      return attempt(input, (options) => call('POST /api/v1/billing/invites', input, options))
    },
    onSuccess: async (_, written) => {
      dropSent(written)
      await billingChanged()
      toast(strings.codeIsReady)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(note)
  }
  return (
    <form className="mb-5 grid gap-3" onSubmit={submit}>
      <div className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_--spacing(35)_auto]">
        <TextField
          label={strings.note}
          aside={strings.noteHint}
          value={note}
          maxLength={200}
          autoComplete="off"
          onChange={(event) => change(event.target.value)}
        />
        <SelectField label={strings.validFor} value={days} onChange={(event) => setDays(event.target.value)}>
          <option value="7">{strings.sevenDays}</option>
          <option value="30">{strings.thirtyDays}</option>
          <option value="90">{strings.ninetyDays}</option>
        </SelectField>
        <Button type="submit" look="primary" busy={create.isPending}>
          {strings.createCode}
        </Button>
      </div>
      <FormError error={create.error} />
    </form>
  )
}

const STATES: Record<InviteCode['status'], { label: string; tone: 'ok' | 'neutral' | 'warn' }> = {
  open: { label: strings.openLabel, tone: 'ok' },
  used: { label: strings.used, tone: 'neutral' },
  expired: { label: strings.expired, tone: 'warn' },
  withdrawn: { label: strings.withdrawn, tone: 'neutral' },
}

function Codes() {
  const codes = useQuery(codesQuery)
  const withdraw = useMutation({
    mutationFn: (code: InviteCode) =>
      call('DELETE /api/v1/billing/invites/{invite_id}', { invite_id: code.invite_id }),
    onSuccess: (code) => toast(strings.codeWithdrawn(code.code)),
    onError: toastError,
    onSettled: () => billingChanged(),
  })
  if (!codes.data)
    return (
      <NotLoaded query={codes}>
        <SkeletonList rows={2} />
      </NotLoaded>
    )
  if (codes.data.length === 0)
    return (
      <EmptyState icon={<Gift size={18} />} title={strings.noCodesYet}>
        {strings.noCodesHint}
      </EmptyState>
    )
  return (
    <Table<InviteCode>
      label={strings.inviteCodes}
      rows={codes.data}
      rowKey={(code) => code.invite_id}
      columns={[
        {
          name: strings.code,
          cell: (code) => (
            <>
              <span className="flex items-center gap-1">
                <code className="font-mono text-sm break-all">{code.code}</code>
                <CopyButton text={code.code} label={strings.copyCode(code.code)} />
              </span>
              {code.note && (
                <span className="block max-w-48 truncate text-xs text-faint sm:max-w-80">{code.note}</span>
              )}
            </>
          ),
        },
        {
          name: strings.state,
          cell: (code) => <Badge tone={STATES[code.status].tone}>{STATES[code.status].label}</Badge>,
        },
        { name: strings.gives, wide: true, end: true, cell: (code) => credits(code.credits) },
        {
          name: strings.used,
          end: true,
          cell: (code) => <>{strings.usesOf(code.uses, code.max_uses)}</>,
        },
        { name: strings.until, wide: true, end: true, cell: (code) => formatDay(code.expires_at) },
        {
          name: strings.actions,
          hideName: true,
          end: true,
          cell: (code) =>
            code.status === 'open' && (
              <IconButton
                label={strings.withdrawCode(code.code)}
                disabled={withdraw.isPending}
                onClick={() => withdraw.mutate(code)}
              >
                <X size={16} />
              </IconButton>
            ),
        },
      ]}
    />
  )
}
