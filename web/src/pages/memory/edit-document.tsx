import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { appendEvent, type MemoryEvent } from '../../api/memory.ts'
import { plural } from '../../lib/format.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { DOCUMENTS, type DocumentKind } from './documents.ts'
import { memoryChanged, named, type ProjectName } from './memory-queries.ts'

type Props = { kind: DocumentKind; project: ProjectName; event: MemoryEvent | null; onClose: () => void }

/** Saving writes a new event; the document before it stays in the timeline. */
export function EditDocument({ kind, project, event, onClose }: Props) {
  const [text, setText] = useState(event?.content ?? '')
  const { title, hint, example } = DOCUMENTS[kind]
  const save = useMutation({
    mutationFn: (content: string) =>
      appendEvent({
        ...named(project),
        content,
        client: 'web',
        ...(kind === 'summary'
          ? { event_type: 'summary' as const }
          : {
              event_type: 'fact_snapshot' as const,
              meta: { fact_kind: kind, ...(kind === 'user_preferences' ? { confirmed_by_user: true } : {}) },
            }),
      }),
    onSuccess: async (saved) => {
      await memoryChanged()
      const removed = saved.redactions.reduce((sum, { count }) => sum + count, 0)
      toast(
        removed > 0
          ? `Saved without ${plural(removed, 'secret')} that it contained.`
          : 'Saved. Agents read it from their next start on.',
      )
      onClose()
    },
  })
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={`${event ? 'Edit' : 'Write'} ${title.toLowerCase()}`}
      action="Save"
      ready={text.trim() !== '' && text.trim() !== event?.content.trim()}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(text.trim())}
    >
      <TextareaField
        label={title}
        hint={hint}
        required
        rows={8}
        maxLength={200_000}
        className="min-h-40 font-mono"
        placeholder={example}
        value={text}
        onChange={(changed) => setText(changed.target.value)}
      />
    </FormDialog>
  )
}
