import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useRouterState } from '@tanstack/react-router'
import { Circle, CircleCheck, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { dismissFirstSteps, type StepName } from '../../api/first-steps.ts'
import { queryClient } from '../../api/query.ts'
import { IconButton } from '../../ui/button.tsx'
import { toastError } from '../../ui/toast.tsx'
import { firstStepsChanged, firstStepsQuery } from './first-steps-queries.ts'
import { AddSamples, RemoveSamples } from './samples.tsx'

const STEPS: Record<StepName, { label: string; to: LinkProps['to'] }> = {
  key: { label: 'Make a key', to: '/connect' },
  call: { label: 'See the first call', to: '/connect' },
  card: { label: 'Write a card', to: '/cards/new' },
  search: { label: 'Search once', to: '/' },
  invite: { label: 'Invite somebody', to: '/workspaces' },
}

/** The checklist for a new person. It disappears when all is done, or when they dismiss it. */
export function FirstSteps() {
  const { data } = useQuery(firstStepsQuery)
  const address = useRouterState({ select: (state) => state.location.href })
  const isShown = data !== undefined && !data.done && !data.dismissed_at
  const dismiss = useMutation({
    mutationFn: () => dismissFirstSteps(),
    onSuccess: (steps) => queryClient.setQueryData(firstStepsQuery.queryKey, steps),
    onError: toastError,
  })
  // Most steps are done by saving something, on this page or on another.
  useEffect(() => {
    if (!isShown) return
    return queryClient.getMutationCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'success') void firstStepsChanged()
    })
  }, [isShown])
  const askedAt = useRef(address)
  useEffect(() => {
    if (askedAt.current === address) return
    askedAt.current = address
    if (isShown) void firstStepsChanged()
  }, [address, isShown])
  // The list does not come back, even if a key is deleted later.
  const isJustDone = data?.done === true && !data.dismissed_at
  const { mutate } = dismiss
  useEffect(() => {
    if (isJustDone) mutate()
  }, [isJustDone, mutate])
  if (!data || !isShown) return null
  const done = data.steps.filter((step) => step.done).length
  return (
    <section aria-label="First steps" className="rounded-md border border-line bg-panel p-2 text-sm">
      <div className="flex items-center justify-between gap-2 pl-1">
        <h2 className="text-xs font-medium text-soft">
          First steps{' '}
          <span className="font-normal text-faint tabular-nums">
            {done} of {data.steps.length}
          </span>
        </h2>
        <IconButton label="Put the first steps away" className="size-6!" onClick={() => dismiss.mutate()}>
          <X size={14} />
        </IconButton>
      </div>
      <ul className="mt-1 grid">
        {data.steps.map(({ step, done }) => (
          <li key={step}>
            <Link
              to={STEPS[step].to}
              className="flex min-h-7 items-center gap-2 rounded-sm px-1 text-soft hover:bg-hover hover:text-ink pointer-coarse:min-h-10"
            >
              {done ? (
                <CircleCheck size={14} className="shrink-0 text-ok" aria-label="Done:" />
              ) : (
                <Circle size={14} className="shrink-0 text-faint" aria-label="To do:" />
              )}
              <span className={done ? 'text-faint line-through' : ''}>{STEPS[step].label}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className="mt-1">{data.sample_cards > 0 ? <RemoveSamples small /> : <AddSamples small />}</div>
    </section>
  )
}
