import { useMutation } from '@tanstack/react-query'
import { appendEvent, type MemoryEvent } from '../../api/memory.ts'
import { useAttempt } from '../../api/use-attempt.ts'
import { plural } from '../../lib/format.ts'
import { useKeptText } from '../../lib/use-kept-text.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { DOCUMENTS, type DocumentKind } from './documents.ts'
import { memoryChanged, named, type ProjectName } from './memory-queries.ts'

type Props = { kind: DocumentKind; project: ProjectName; event: MemoryEvent | null; onClose: () => void }

const eventOf = (kind: DocumentKind, project: ProjectName, content: string) => ({
  ...named(project),
  content,
  client: 'web',
  ...(kind === 'summary'
    ? { event_type: 'summary' as const }
    : {
        event_type: 'fact_snapshot' as const,
        meta: { fact_kind: kind, ...(kind === 'user_preferences' ? { confirmed_by_user: true } : {}) },
      }),
})

/**
 * Saving writes a new event; the document before it stays in the timeline. What is not saved is kept: a click beside the
 * dialog closes it, and the session may end.
 */
export function EditDocument({ kind, project, event, onClose }: Props) {
  const { user_id } = useMe()
  const start = event?.content ?? ''
  const keptAs = ['kv-document', user_id, project.workspace ?? '', kind, project.key].join(':')
  const { text, change, dropSaved, isRestored } = useKeptText(keptAs, start)
  const { title, hint, example } = DOCUMENTS[kind]
  const attempt = useAttempt()
  const save = useMutation({
    mutationFn: (content: string) =>
      attempt(content, (options) => appendEvent(eventOf(kind, project, content), options)),
    onSuccess: async (saved, content) => {
      await memoryChanged()
      const removed = saved.redactions.reduce((sum, { count }) => sum + count, 0)
      toast(
        removed > 0
          ? `Saved without ${plural(removed, 'secret')} that it contained.`
          : 'Saved. Agents read it from their next start on.',
      )
      dropSaved(content)
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
      // Only here: the answer may come when the dialog was closed, or even opened again.
      onSubmit={() =>
        save.mutate(text.trim(), { onSuccess: (_, content) => dropSaved(content) && onClose() })
      }
    >
      {isRestored && (
        <Notice
          action={
            <Button size="sm" onClick={() => change(start)}>
              Discard it
            </Button>
          }
        >
          What you wrote before is back.
        </Notice>
      )}
      <TextareaField
        label={title}
        hint={hint}
        required
        rows={8}
        maxLength={200_000}
        className="min-h-40 font-mono"
        placeholder={example}
        value={text}
        onChange={(changed) => change(changed.target.value)}
      />
    </FormDialog>
  )
}
