import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Gift, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import type { InviteCode, Redeemed } from '../../api/types.ts'
import { useAttempt } from '../../api/use-attempt.ts'
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

const route = getRouteApi('/app/billing')

export function InviteCodes() {
  return (
    <>
      <Section title="Redeem a code" lead="Once per account. The person who gave it to you gets credits too.">
        <Redeem />
      </Section>
      <Section
        title="Your codes"
        lead="Give one to a colleague: both of you get credits when it is redeemed."
      >
        <Create />
        <Codes />
      </Section>
    </>
  )
}

function redeemedWords({ credits_awarded, credits_pending, credits_balance }: Redeemed): string {
  if (credits_awarded > 0)
    return `${credits(credits_awarded)} added. Your balance is ${credits(credits_balance)}.`
  if (credits_pending > 0)
    return `${credits(credits_pending)} will be added once you have confirmed your e-mail address.`
  return 'Redeemed, without credits: an account with your address was deleted a short time ago.'
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
            label="Invite code"
            required
            value={code}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change(event.target.value)}
          />
        </div>
        <Button type="submit" busy={redeem.isPending} disabled={!code.trim()}>
          Redeem
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
      toast('The code is ready to copy.')
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
          label="Note"
          aside="Optional, only you see it"
          value={note}
          maxLength={200}
          autoComplete="off"
          onChange={(event) => change(event.target.value)}
        />
        <SelectField label="Valid for" value={days} onChange={(event) => setDays(event.target.value)}>
          <option value="7">7 days</option>
          <option value="30">30 days</option>
          <option value="90">90 days</option>
        </SelectField>
        <Button type="submit" look="primary" busy={create.isPending}>
          Create code
        </Button>
      </div>
      <FormError error={create.error} />
    </form>
  )
}

const STATES: Record<InviteCode['status'], { label: string; tone: 'ok' | 'neutral' | 'warn' }> = {
  open: { label: 'Open', tone: 'ok' },
  used: { label: 'Used', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'warn' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral' },
}

function Codes() {
  const codes = useQuery(codesQuery)
  const withdraw = useMutation({
    mutationFn: (code: InviteCode) =>
      call('DELETE /api/v1/billing/invites/{invite_id}', { invite_id: code.invite_id }),
    onSuccess: (code) => toast(`${code.code} is withdrawn. Nobody can redeem it any more.`),
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
      <EmptyState icon={<Gift size={18} />} title="No codes yet">
        A code works once unless you say otherwise. Up to ten can be open at a time.
      </EmptyState>
    )
  return (
    <Table<InviteCode>
      label="Invite codes"
      rows={codes.data}
      rowKey={(code) => code.invite_id}
      columns={[
        {
          name: 'Code',
          cell: (code) => (
            <>
              <span className="flex items-center gap-1">
                <code className="font-mono text-sm break-all">{code.code}</code>
                <CopyButton text={code.code} label={`Copy code ${code.code}`} />
              </span>
              {code.note && (
                <span className="block max-w-48 truncate text-xs text-faint sm:max-w-80">{code.note}</span>
              )}
            </>
          ),
        },
        {
          name: 'State',
          cell: (code) => <Badge tone={STATES[code.status].tone}>{STATES[code.status].label}</Badge>,
        },
        { name: 'Gives', wide: true, end: true, cell: (code) => credits(code.credits) },
        {
          name: 'Used',
          end: true,
          cell: (code) => (
            <>
              {code.uses} of {code.max_uses}
            </>
          ),
        },
        { name: 'Until', wide: true, end: true, cell: (code) => formatDay(code.expires_at) },
        {
          name: 'Actions',
          hideName: true,
          end: true,
          cell: (code) =>
            code.status === 'open' && (
              <IconButton
                label={`Withdraw code ${code.code}`}
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
