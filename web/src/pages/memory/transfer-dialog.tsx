import { useMutation, useQuery } from '@tanstack/react-query'
import { ArrowRight, Check, Minus, Plus } from 'lucide-react'
import { useState } from 'react'
import { itemsOf, mergeItems } from '#server/shared/memory.ts'
import { call } from '../../api/client.ts'
import type { MemoryProject } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import { FormError, Notice, Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { documentsQuery, memoryChanged, type ProjectName, USER_PREFERENCES } from './memory-queries.ts'
import * as strings from './strings.ts'

type Props = { source?: ProjectName; projects: MemoryProject[]; onClose: () => void }

type Choice = {
  source: string
  target: string
  workspace: string | undefined
  replaces: boolean
  items: string[] | null
}

const inputOf = ({ source, target, workspace, replaces, items }: Choice) => ({
  source_project_key: source,
  target_project_key: target,
  confirmed_by_user: true as const,
  client: 'web',
  ...(workspace ? { workspace_id: workspace } : {}),
  ...(items === null ? { replace_target: replaces } : { items }),
})

function useChoice(given: ProjectName | undefined, projects: MemoryProject[]) {
  const { personal_workspace_id } = useMe()
  const workspace = given?.workspace
  const keys = projects
    .filter((one) => one.workspace_id === (workspace ?? personal_workspace_id))
    .map((one) => one.project_key)
  const choices = [USER_PREFERENCES, ...keys.filter((key) => key !== USER_PREFERENCES)]
  const [source, setSource] = useState(given?.key ?? choices[1] ?? USER_PREFERENCES)
  const [target, setTarget] = useState(choices.find((choice) => choice !== source) ?? USER_PREFERENCES)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [replace, setReplace] = useState(false)
  const from = usePreferences(source, workspace)
  const to = usePreferences(target, workspace)
  const chosen = from.items?.filter((item) => !left.has(item)) ?? []
  const takesAll = chosen.length === from.items?.length
  const chooseSource = (next: string) => {
    setSource(next)
    setLeft(new Set())
    if (next === target) setTarget(choices.find((choice) => choice !== next) ?? USER_PREFERENCES)
  }
  const toggle = (item: string) =>
    setLeft((before) =>
      before.has(item) ? new Set([...before].filter((one) => one !== item)) : new Set([...before, item]),
    )
  return {
    choices,
    source,
    chooseSource,
    target,
    setTarget,
    from,
    to,
    left,
    toggle,
    chosen,
    replaces: replace && takesAll,
    setReplace,
  }
}

export function TransferDialog({ source: given, projects, onClose }: Props) {
  const workspace = given?.workspace
  const {
    choices,
    source,
    chooseSource,
    target,
    setTarget,
    from,
    to,
    left,
    toggle,
    chosen,
    replaces,
    setReplace,
  } = useChoice(given, projects)
  const takesAll = chosen.length === from.items?.length
  const items = takesAll ? null : chosen
  const preview =
    from.items && to.items
      ? previewTransfer({ source: from.items, target: to.items, items, replace: replaces })
      : null
  const added = preview?.filter((line) => line.state === 'added').length ?? 0
  const removed = preview?.filter((line) => line.state === 'removed').length ?? 0
  const transfer = useMutation({
    mutationFn: () =>
      call(
        'POST /api/v1/project-context/preferences/transfer',
        inputOf({ source, target, workspace, replaces, items }),
      ),
    onSuccess: async (done) => {
      await memoryChanged()
      toast(strings.preferencesCopied(plural(done.items_copied, 'preference'), projectLabel(target)))
      onClose()
    },
  })
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={strings.transferPreferences}
      description={strings.transferLead}
      action={
        replaces && removed > 0
          ? strings.replaceCounts(added, removed)
          : strings.copyPreferences(plural(added, 'preference'))
      }
      ready={chosen.length > 0 && added + removed > 0}
      busy={transfer.isPending}
      error={transfer.error}
      onSubmit={() => transfer.mutate()}
    >
      <div className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
        <ProjectSelect label={strings.from} value={source} choices={choices} onChange={chooseSource} />
        <ArrowRight size={16} aria-hidden className="mb-2 text-faint max-sm:hidden" />
        <ProjectSelect
          label={strings.to}
          value={target}
          choices={choices.filter((choice) => choice !== source)}
          onChange={setTarget}
        />
      </div>
      {(from.error || to.error) && <FormError error={from.error ?? to.error} />}
      {from.items?.length === 0 && <Notice>{strings.sourceIsEmpty(projectLabel(source))}</Notice>}
      {from.items && from.items.length > 0 && (
        <ItemChoice
          items={from.items}
          left={left}
          onToggle={toggle}
          replaces={replaces}
          onReplace={setReplace}
        />
      )}
      {from.items?.length !== 0 && (
        <section aria-label={strings.result} className="grid gap-2">
          <h3 className="text-sm font-medium">{strings.afterwards(projectLabel(target))}</h3>
          {preview ? <Preview lines={preview} /> : <Skeleton className="h-20 w-full" />}
        </section>
      )}
    </FormDialog>
  )
}

type ItemChoiceProps = {
  items: readonly string[]
  left: ReadonlySet<string>
  onToggle: (item: string) => void
  replaces: boolean
  onReplace: (replace: boolean) => void
}

function ItemChoice({ items, left, onToggle, replaces, onReplace }: ItemChoiceProps) {
  const takesAll = items.every((item) => !left.has(item))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 flex w-full items-baseline justify-between text-sm font-medium">
        {strings.whatToCopy}
      </legend>
      {items.map((item) => (
        <Checkbox key={item} label={item} checked={!left.has(item)} onChange={() => onToggle(item)} />
      ))}
      <div className="mt-1 border-t border-line pt-3">
        <Checkbox
          label={strings.replaceTarget}
          hint={takesAll ? strings.replaceHint : strings.replaceNeedsAll}
          checked={replaces}
          disabled={!takesAll}
          onChange={(event) => onReplace(event.target.checked)}
        />
      </div>
    </fieldset>
  )
}

const projectLabel = (key: string) => (key === USER_PREFERENCES ? strings.myPreferences : key)

type ProjectSelectProps = {
  label: string
  value: string
  choices: string[]
  onChange: (choice: string) => void
}

const ProjectSelect = ({ label, value, choices, onChange }: ProjectSelectProps) => (
  <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
    {choices.map((choice) => (
      <option key={choice} value={choice}>
        {choice === USER_PREFERENCES ? strings.myPreferencesEverywhere : choice}
      </option>
    ))}
  </SelectField>
)

function usePreferences(key: string, workspace: string | undefined) {
  const { data, error } = useQuery(documentsQuery(key === USER_PREFERENCES ? { key } : { key, workspace }))
  if (!data) return { items: undefined, error }
  const event = key === USER_PREFERENCES ? data.user_preferences : data.project_preferences
  return { items: itemsOf(event?.content ?? ''), error: null }
}

const LOOKS: Record<PreviewLine['state'], { className: string; icon: typeof Plus | null }> = {
  kept: { className: 'text-soft', icon: null },
  'already there': { className: 'text-soft', icon: Check },
  added: { className: 'bg-ok-soft text-ok', icon: Plus },
  removed: { className: 'bg-bad-soft text-bad', icon: Minus },
}

function Preview({ lines }: { lines: PreviewLine[] }) {
  if (lines.length === 0) return <p className="text-sm text-soft">{strings.emptyDocument}</p>
  return (
    <ul className="overflow-hidden rounded-md border border-line text-sm">
      {lines.map(({ item, state }) => {
        const { className, icon: Icon } = LOOKS[state]
        return (
          <li key={`${state} ${item}`} className={cx('flex items-start gap-2 px-3 py-1.5', className)}>
            <span className="grid h-5 w-4 shrink-0 place-items-center">
              {Icon && <Icon size={14} aria-hidden />}
            </span>
            <span className={cx('min-w-0 grow break-words', state === 'removed' && 'line-through')}>
              {item}
            </span>
            {state !== 'kept' && <span className="shrink-0 text-xs">{state}</span>}
          </li>
        )
      })}
    </ul>
  )
}

type PreviewLine = { item: string; state: 'kept' | 'added' | 'removed' | 'already there' }

type Transfer = {
  source: readonly string[]
  target: readonly string[]
  items: readonly string[] | null
  replace: boolean
}

/** Returns the target after the transfer by the server's rule, and the removed lines. */
export function previewTransfer({ source, target, items, replace }: Transfer): PreviewLine[] {
  const wanted = items ?? source
  const replacing = replace && items === null
  const after = replacing ? source : mergeItems(target, wanted).items
  const had = new Set(target)
  const copied = new Set(wanted)
  const lines = after.map((item): PreviewLine => {
    if (!had.has(item)) return { item, state: 'added' }
    return { item, state: copied.has(item) ? strings.alreadyThere : 'kept' }
  })
  const left = new Set(after)
  const removed = target.filter((item) => !left.has(item))
  return [...lines, ...removed.map((item): PreviewLine => ({ item, state: 'removed' }))]
}
