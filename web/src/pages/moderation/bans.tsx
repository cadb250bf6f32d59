import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { liftBan, type PublishingBan } from '../../api/moderation.ts'
import { formatDay } from '../../lib/format.ts'
import { useKeptText } from '../../lib/use-kept-text.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'
import { bansQuery, moderationChanged } from './moderation-queries.ts'

/** Who is banned from publishing and since when, with a button that lifts the ban. */
export function Bans({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const bans = useQuery(bansQuery(page))
  const { data } = bans
  const [lifting, setLifting] = useState<PublishingBan | null>(null)
  if (!data)
    return (
      <NotLoaded query={bans}>
        <SkeletonList rows={3} />
      </NotLoaded>
    )
  if (data.total === 0)
    return <EmptyState title="Nobody is banned">A decision about a card can ban its publisher.</EmptyState>
  return (
    <>
      <ul aria-label="Bans" className="divide-y divide-line border-y border-line">
        {data.items.map((ban) => (
          <li key={ban.ban_id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-2 py-3">
            <div className="min-w-0 grow basis-52">
              <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
                {ban.display_name}
                <Badge>{ban.workspace_id === null ? 'Everywhere' : 'In one workspace'}</Badge>
              </p>
              <p className="text-sm wrap-break-word text-soft">{ban.reason}</p>
              <p className="text-xs text-faint">
                Since {formatDay(ban.created_at)}
                {ban.lifted_at && ` · lifted ${formatDay(ban.lifted_at)}: ${ban.lift_reason}`}
              </p>
            </div>
            {ban.lifted_at === null && <Button onClick={() => setLifting(ban)}>Lift the ban</Button>}
          </li>
        ))}
      </ul>
      <Pager page={page} pageSize={data.page_size} total={data.total} onPage={onPage} />
      {lifting && <LiftDialog ban={lifting} onClose={() => setLifting(null)} />}
    </>
  )
}

function LiftDialog({ ban, onClose }: { ban: PublishingBan; onClose: () => void }) {
  const keptAs = `kv-reason:${useMe().user_id}:lift:${ban.ban_id}`
  const { text: reason, change: setReason, dropSent } = useKeptText(keptAs, '')
  const lift = useMutation({
    mutationFn: () => liftBan({ ban_id: ban.ban_id, reason }),
    onSuccess: () => {
      dropSent(reason)
      toast(`${ban.display_name} can publish again.`)
      onClose()
    },
    onSettled: moderationChanged,
  })
  return (
    <FormDialog
      title={`Let ${ban.display_name} publish again`}
      description="Cards that are hidden or removed stay hidden or removed."
      action="Lift the ban"
      ready={reason.trim().length >= 3}
      busy={lift.isPending}
      error={lift.error}
      onSubmit={() => lift.mutate()}
      onClose={onClose}
    >
      <TextareaField
        label="Reason"
        required
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  )
}
