import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useNavigate, useRouterState } from '@tanstack/react-router'
import { Circle, CircleCheck, Plug, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { StepName, Workspace } from '../../api/types.ts'
import { plural } from '../../lib/format.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import * as strings from './strings.ts'

const STEPS: Record<StepName, { label: string; to: LinkProps['to'] }> = {
  key: { label: strings.connectYourAgent, to: '/connect' },
  call: { label: strings.seeFirstCall, to: '/connect' },
  card: { label: strings.writeACard, to: '/cards/new' },
  search: { label: strings.searchOnce, to: '/' },
  invite: { label: strings.inviteSomebody, to: '/workspaces' },
}

/** Who joined a team finds its cards and connects agents; writing and inviting are for later. */
const OF_MEMBERS: readonly StepName[] = ['search', 'key', 'call']

const isTeam = ({ type }: Workspace) => type !== 'personal'

/** Returns whether the person is in a team of somebody else; undefined: not known yet. */
function useHasJoined(isAsked: boolean): boolean | undefined {
  const { data } = useQuery({ ...workspacesQuery, enabled: isAsked })
  return data?.items.some((one) => isTeam(one) && one.role !== 'admin')
}

/** Tells whether a key was made or an app connected; undefined: not known yet. */
export const useIsConnected = (): boolean | undefined =>
  useQuery(firstStepsQuery).data?.steps.some(({ step, done }) => step === 'key' && done)

/** The steps to show; none once they are done or put away, undefined as long as that is not known. */
function useShownSteps() {
  const { data } = useQuery(firstStepsQuery)
  const hasJoined = useHasJoined(data !== undefined && !data.dismissed_at)
  if (data?.dismissed_at) return []
  if (!data || hasJoined === undefined) return
  const steps = data.steps.filter(({ step }) => !hasJoined || OF_MEMBERS.includes(step))
  return steps.every(({ done }) => done) ? [] : steps
}

/** Stands out until an agent is connected, unless the first steps say it. */
export function ConnectLink() {
  const isConnected = useIsConnected()
  const steps = useShownSteps()
  if (isConnected !== false || steps?.length !== 0) return null
  return (
    <LinkButton to="/connect" look="primary" className="mx-0">
      <Plug size={14} aria-hidden />
      {strings.connectYourAgent}
    </LinkButton>
  )
}

export function FirstSteps() {
  const { data } = useQuery(firstStepsQuery)
  const steps = useShownSteps() ?? []
  const isShown = steps.length > 0
  const hasJoined = useHasJoined(isShown)
  const address = useRouterState({ select: (state) => state.location.href })
  const dismiss = useMutation({
    mutationFn: () => call('POST /api/v1/auth/first-steps/dismiss'),
    onSuccess: (steps) => queryClient.setQueryData(firstStepsQuery.queryKey, steps),
    onError: toastError,
  })
  // Most steps are completed by saving something, here or elsewhere.
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
  // The list does not return, even if a key is deleted later.
  const isJustDone = data?.done === true && !data.dismissed_at
  const { mutate } = dismiss
  useEffect(() => {
    if (isJustDone) mutate()
  }, [isJustDone, mutate])
  if (!data || !isShown) return null
  const done = steps.filter((step) => step.done).length
  return (
    <section aria-label={strings.firstSteps} className="rounded-md border border-line bg-panel p-2 text-sm">
      <div className="flex items-center justify-between gap-2 pl-1">
        <h2 className="text-xs font-medium text-soft">
          {strings.firstStepsBefore}
          <span className="font-normal text-faint tabular-nums">{strings.doneOf(done, steps.length)}</span>
        </h2>
        <IconButton label={strings.putAway} className="size-6!" onClick={() => dismiss.mutate()}>
          <X size={14} />
        </IconButton>
      </div>
      <ul className="mt-1 grid">
        {steps.map(({ step, done }) => (
          <li key={step}>
            <Link
              to={STEPS[step].to}
              className="flex min-h-7 items-center gap-2 rounded-sm px-1 text-soft hover:bg-hover hover:text-ink pointer-coarse:min-h-10"
            >
              {done ? (
                <CircleCheck size={14} className="shrink-0 text-ok" aria-label={strings.doneBefore} />
              ) : (
                <Circle size={14} className="shrink-0 text-faint" aria-label={strings.toDoBefore} />
              )}
              <span className={done ? 'text-faint line-through' : ''}>{STEPS[step].label}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className="mt-1">
        {data.sample_cards > 0 ? <RemoveSamples small /> : !hasJoined && <AddSamples small />}
      </div>
    </section>
  )
}

const LOOK_AGAIN_MS = 20_000

/** An agent may take a step while the page is open, so this polls until the list is done or dismissed. */
const firstStepsQuery = queryOptions({
  queryKey: ['first-steps'],
  queryFn: ({ signal }) => call('GET /api/v1/auth/first-steps', {}, { signal }),
  refetchInterval: ({ state: { data } }) => (!data || data.done || data.dismissed_at ? false : LOOK_AGAIN_MS),
})

const firstStepsChanged = () => queryClient.invalidateQueries({ queryKey: firstStepsQuery.queryKey })

const cardsChanged = () =>
  Promise.all([
    firstStepsChanged(),
    queryClient.invalidateQueries({ queryKey: ['cards'] }),
    queryClient.invalidateQueries({ queryKey: ['search'] }),
  ])

type Size = { small?: boolean }

const look = ({ small }: Size) =>
  small ? ({ look: 'ghost', size: 'sm', className: 'w-full justify-start px-1!' } as const) : {}

export function AddSamples(props: Size) {
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: () => call('POST /api/v1/samples'),
    onSuccess: async ({ added }) => {
      toast(strings.samplesAdded(plural(added, 'sample card')))
      await Promise.all([cardsChanged(), navigate({ to: '/cards' })])
    },
    onError: toastError,
  })
  return (
    <Button {...look(props)} busy={add.isPending} onClick={() => add.mutate()}>
      {strings.addSampleCards}
    </Button>
  )
}

function RemoveSamples(props: Size) {
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/v1/samples'),
    onSuccess: async ({ removed, kept }) => {
      const stay = kept.length > 0 ? strings.samplesStay(plural(kept.length, 'card')) : ''
      toast(`${plural(removed, strings.sampleCard)} removed.${stay}`)
      await cardsChanged()
    },
    onError: toastError,
  })
  return (
    <Button {...look(props)} busy={remove.isPending} onClick={() => remove.mutate()}>
      {strings.removeSampleCards}
    </Button>
  )
}

export function SampleNotice() {
  const { data } = useQuery(firstStepsQuery)
  if (!data || data.sample_cards === 0) return null
  return (
    <div className="mb-3">
      <Notice action={<RemoveSamples />}>
        {strings.samplesAmongYours(plural(data.sample_cards, 'sample card'))}
      </Notice>
    </div>
  )
}
