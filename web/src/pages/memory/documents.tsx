import { useMutation } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useAttempt } from '../../api/query.ts'
import type { MemoryEvent } from '../../api/types.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { memoryChanged, named, type ProjectName } from './memory-queries.ts'
import * as strings from './strings.ts'

type DocumentProps = { kind: DocumentKind; project: ProjectName; event: MemoryEvent | null; plain?: boolean }

export function MemoryDocument({ kind, project, event, plain }: DocumentProps) {
  const [editing, setEditing] = useState(false)
  const { title, empty, heading } = DOCUMENTS[kind]
  return (
    <article aria-label={title} className="rounded-md border border-line bg-panel">
      <header className="flex min-h-10 items-center gap-2 border-b border-line pr-1 pl-3">
        {plain ? (
          <span className="grow text-xs text-faint">
            {event ? strings.changedAgo(formatAgo(event.created_at)) : strings.empty}
          </span>
        ) : (
          <h3 className="min-w-0 grow truncate text-sm font-semibold">
            {title}
            {event && (
              <span className="ml-2 text-xs font-normal text-faint">{formatAgo(event.created_at)}</span>
            )}
          </h3>
        )}
        {event && (
          <CopyButton
            text={`# ${heading}\n\n${event.content}\n`}
            label={strings.copyAsMarkdown(title.toLowerCase())}
          />
        )}
        {event && (
          <IconButton label={strings.editTitled(title.toLowerCase())} onClick={() => setEditing(true)}>
            <Pencil size={14} />
          </IconButton>
        )}
      </header>
      <div className="px-3 py-3">
        {event ? (
          <LazyMarkdown>{event.content}</LazyMarkdown>
        ) : (
          <div className="grid justify-items-start gap-2">
            <p className="text-sm text-soft">{empty}</p>
            <Button size="sm" onClick={() => setEditing(true)}>
              {strings.writeIt}
            </Button>
          </div>
        )}
      </div>
      {editing && (
        <EditDocument kind={kind} project={project} event={event} onClose={() => setEditing(false)} />
      )}
    </article>
  )
}

type EditDocumentProps = {
  kind: DocumentKind
  project: ProjectName
  event: MemoryEvent | null
  onClose: () => void
}

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

/** Saving writes a new event; the former document stays in the timeline. */
function EditDocument({ kind, project, event, onClose }: EditDocumentProps) {
  const { user_id } = useMe()
  const start = event?.content ?? ''
  const keptAs = ['kv-document', user_id, project.workspace ?? '', kind, project.key].join(':')
  const { text, change, dropSaved, isRestored } = useKeptText(keptAs, start)
  const { title, hint, example } = DOCUMENTS[kind]
  const attempt = useAttempt()
  const save = useMutation({
    mutationFn: (content: string) =>
      attempt(content, (options) =>
        call('POST /api/v1/project-context/events', eventOf(kind, project, content), options),
      ),
    onSuccess: async (saved, content) => {
      await memoryChanged()
      const removed = saved.redactions.reduce((sum, { count }) => sum + count, 0)
      toast(removed > 0 ? strings.savedWithoutSecrets(plural(removed, 'secret')) : strings.savedForAgents)
      dropSaved(content)
    },
  })
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={`${event ? strings.edit : strings.write} ${title.toLowerCase()}`}
      action={strings.save}
      ready={text.trim() !== '' && text.trim() !== event?.content.trim()}
      busy={save.isPending}
      error={save.error}
      // Only here: by then the dialog may be closed, or open again.
      onSubmit={() =>
        save.mutate(text.trim(), { onSuccess: (_, content) => dropSaved(content) && onClose() })
      }
    >
      {isRestored && (
        <Notice
          action={
            <Button size="sm" onClick={() => change(start)}>
              {strings.discardIt}
            </Button>
          }
        >
          {strings.draftIsBack}
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

type DocumentKind = 'summary' | 'project_facts' | 'project_preferences' | 'user_preferences'

type Words = { title: string; heading: string; empty: string; hint: string; example: string }

const DOCUMENTS: Record<DocumentKind, Words> = {
  summary: {
    title: strings.currentFocus,
    heading: strings.currentFocus,
    empty: strings.noSummary,
    hint: strings.summaryHint,
    example: strings.summaryExample,
  },
  project_facts: {
    title: strings.facts,
    heading: strings.projectFacts,
    empty: strings.noFacts,
    hint: strings.factsHint,
    example: strings.factsExample,
  },
  project_preferences: {
    title: strings.preferences,
    heading: strings.projectPreferences,
    empty: strings.noPreferences,
    hint: strings.preferencesHint,
    example: strings.projectPreferencesExample,
  },
  user_preferences: {
    title: strings.yourPreferences,
    heading: strings.myPreferences,
    empty: strings.noOwnPreferences,
    hint: strings.preferencesHint,
    example: strings.ownPreferencesExample,
  },
}
