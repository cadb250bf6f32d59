import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { MemoryEvent } from '../../api/memory.ts'
import { formatAgo } from '../../lib/format.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { DOCUMENTS, type DocumentKind } from './documents.ts'
import { EditDocument } from './edit-document.tsx'
import type { ProjectName } from './memory-queries.ts'

type Props = { kind: DocumentKind; project: ProjectName; event: MemoryEvent | null; plain?: boolean }

/** Summary, facts or preferences as one document: readable, copyable, and editable by the person it is about. */
export function MemoryDocument({ kind, project, event, plain }: Props) {
  const [editing, setEditing] = useState(false)
  const { title, empty, heading } = DOCUMENTS[kind]
  return (
    <article aria-label={title} className="rounded-md border border-line bg-panel">
      <header className="flex min-h-10 items-center gap-2 border-b border-line pr-1 pl-3">
        {plain ? (
          <span className="grow text-xs text-faint">
            {event ? `Changed ${formatAgo(event.created_at)}` : 'Empty'}
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
            label={`Copy ${title.toLowerCase()} as Markdown`}
          />
        )}
        {event && (
          <IconButton label={`Edit ${title.toLowerCase()}`} onClick={() => setEditing(true)}>
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
              Write it
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
