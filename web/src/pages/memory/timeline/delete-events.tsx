import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { deleteEvent, type MemoryEvent } from '../../../api/memory.ts'
import { plural } from '../../../lib/format.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { toast, toastError } from '../../../ui/toast.tsx'
import { memoryChanged } from '../memory-queries.ts'

/** Deletes all events of an exchange, after saying how many they are. */
export function DeleteEvents({ events }: { events: MemoryEvent[] }) {
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: async () => {
      for (const event of events) await deleteEvent({ raw_id: event.raw_id })
    },
    onSuccess: () => toast(`${plural(events.length, 'event')} deleted.`),
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
        Delete from memory
      </Button>
      {asking && (
        <ConfirmDialog
          title="Delete from memory"
          action={`Delete ${plural(events.length, 'event')}`}
          onClose={() => setAsking(false)}
          mutation={remove}
        >
          <p>
            This removes {plural(events.length, 'event')} for good: the text, and what search knows of it.
            Agents no longer read it. It cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}
