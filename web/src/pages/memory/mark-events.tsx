import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleSlash, Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { MemoryEvent } from '../../api/types.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialog.tsx'
import { SelectField, TextareaField } from '../../ui/field.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { type MemoryMark, marksQuery, memoryChanged } from './memory-queries.ts'
import * as strings from './strings.ts'

const NO_MARKS: readonly MemoryMark[] = []

/** An event, or a commit with its id as `raw_id`. */
export type Remembered = Pick<MemoryEvent, 'raw_id' | 'project_key' | 'workspace_id'>

/** The marks of these events; none while they are read. */
function useMarks(events: readonly Remembered[]): readonly MemoryMark[] {
  const [first] = events
  const marks = useQuery({
    ...marksQuery({ key: first?.project_key ?? '', workspace: first?.workspace_id }),
    enabled: first !== undefined,
  })
  return marks.data?.items.filter(({ raw_id }) => events.some((event) => event.raw_id === raw_id)) ?? NO_MARKS
}

export const MarkBadges = ({ events }: { events: readonly Remembered[] }) =>
  useMarks(events).map(({ mark_id, reason, whole }) => (
    <Badge key={mark_id} tone="warn" icon={<CircleSlash size={12} aria-hidden />}>
      {strings.marked(reason, whole)}
    </Badge>
  ))

/** Marks an exchange, or a passage of it, so that recall leaves it out, and takes marks back. */
export function MarkEvents({ events }: { events: readonly Remembered[] }) {
  const [asking, setAsking] = useState(false)
  const marks = useMarks(events)
  const unmark = useMutation({
    mutationFn: async () => {
      for (const { mark_id } of marks)
        await call('DELETE /api/v1/project-context/marks/{mark_id}', { mark_id })
    },
    onSuccess: () => toast(strings.markTakenBack),
    onError: toastError,
    onSettled: memoryChanged,
  })
  return (
    <>
      <Button look="ghost" size="sm" onClick={() => setAsking(true)}>
        <CircleSlash size={14} aria-hidden />
        {strings.markOutdated}
      </Button>
      {marks.length > 0 && (
        <Button
          look="ghost"
          size="sm"
          busy={unmark.isPending}
          onClick={(event) => {
            // The button goes with the mark.
            neighbourGetsFocus(event.currentTarget)
            unmark.mutate()
          }}
        >
          <Undo2 size={14} aria-hidden />
          {strings.takeMarkBack}
        </Button>
      )}
      {asking && <MarkDialog events={events} onClose={() => setAsking(false)} />}
    </>
  )
}

function MarkDialog({ events, onClose }: { events: readonly Remembered[]; onClose: () => void }) {
  const [reason, setReason] = useState<MemoryMark['reason']>('outdated')
  const [passage, setPassage] = useState('')
  const mark = useMutation({
    mutationFn: () => markAll(events, reason, passage.trim()),
    onSuccess: async () => {
      onClose()
      toast(strings.markKept)
      await memoryChanged()
    },
  })
  return (
    <FormDialog
      title={strings.markOutdated}
      description={strings.markHint}
      action={strings.mark}
      busy={mark.isPending}
      error={mark.error}
      onClose={onClose}
      onSubmit={() => mark.mutate()}
    >
      <SelectField
        label={strings.markReason}
        value={reason}
        onChange={(event) => setReason(event.target.value === 'wrong' ? 'wrong' : 'outdated')}
      >
        <option value="outdated">{strings.outdated}</option>
        <option value="wrong">{strings.wrong}</option>
      </SelectField>
      <TextareaField
        label={strings.markPassage}
        hint={strings.markPassageHint}
        rows={3}
        maxLength={20_000}
        value={passage}
        onChange={(event) => setPassage(event.target.value)}
      />
    </FormDialog>
  )
}

/** A passage stands in one of the events; the others answer that they do not have it. */
async function markAll(events: readonly Remembered[], reason: MemoryMark['reason'], passage: string) {
  const errors: unknown[] = []
  for (const { raw_id } of events)
    try {
      await call('POST /api/v1/project-context/marks', { raw_id, reason, ...(passage ? { passage } : {}) })
    } catch (error) {
      errors.push(error)
    }
  if (errors.length === events.length) throw errors[0]
}

/** Deletes something of memory after a question; `what` names it with its number. */
type Deletion = { what: string; hint?: string; remove: () => Promise<unknown> }

export function DeleteFromMemory({ what, hint, remove }: Deletion) {
  const [asking, setAsking] = useState(false)
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () => toast(strings.deletedFromMemory(what)),
    onError: toastError,
    onSettled: async () => {
      setAsking(false)
      await memoryChanged()
    },
  })
  return (
    <div>
      <Button look="ghost" size="sm" onClick={() => setAsking(true)}>
        <Trash2 size={14} aria-hidden />
        {strings.deleteFromMemory}
      </Button>
      {asking && (
        <ConfirmDialog
          title={strings.deleteFromMemory}
          action={strings.deleteMaterial(what)}
          onClose={() => setAsking(false)}
          mutation={removing}
        >
          <p>{strings.deleteEventsWarning(what)}</p>
          {hint && <p>{hint}</p>}
        </ConfirmDialog>
      )}
    </div>
  )
}

export const DeleteEvents = ({ events }: { events: readonly MemoryEvent[] }) => (
  <DeleteFromMemory
    what={plural(events.length, 'event')}
    remove={async () => {
      for (const { raw_id } of events)
        await call('DELETE /api/v1/project-context/events/{raw_id}', { raw_id })
    }}
  />
)
