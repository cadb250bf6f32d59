import { ChevronRight, FileText, GitCommitHorizontal, GitPullRequest, Undo2 } from 'lucide-react'
import { useId, useState } from 'react'
import { call } from '../../api/client.ts'
import { cx } from '../../lib/cx.ts'
import { formatDay, formatTime, plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { DeleteFromMemory, MarkBadges, MarkEvents, type Remembered } from './mark-events.tsx'
import type { Commit } from './memory-queries.ts'
import * as strings from './strings.ts'

const KINDS = {
  commit: { name: strings.commit, Icon: GitCommitHorizontal },
  pull_request: { name: strings.pullRequest, Icon: GitPullRequest },
  document: { name: strings.record, Icon: FileText },
} as const

const HASH = /^[0-9a-f]{13,64}$/
const shortRef = (ref: string): string => (HASH.test(ref) ? ref.slice(0, 12) : ref)

/** Commits that stand together in the timeline, between two sessions. */
export function CommitsBlock({ commits }: { commits: readonly Commit[] }) {
  const headingId = useId()
  const [first, last] = [commits.at(-1), commits[0]]
  if (!first || !last) return null
  const [from, to] = [formatDay(first.committed_at), formatDay(last.committed_at)]
  return (
    <li aria-labelledby={headingId}>
      <div className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 id={headingId} className="text-sm font-semibold">
          {from === to ? from : `${from} – ${to}`}
        </h2>
        <Badge>{strings.repository}</Badge>
      </div>
      <CommitList commits={commits} />
    </li>
  )
}

export const CommitList = ({ commits }: { commits: readonly Commit[] }) => (
  <ol className="grid border-l border-line">
    {commits.map((commit) => (
      <CommitRow key={commit.commit_id} commit={commit} />
    ))}
  </ol>
)

const rememberedOf = ({ commit_id, project_key, workspace_id }: Commit): Remembered => ({
  raw_id: commit_id,
  project_key,
  workspace_id,
})

function CommitRow({ commit }: { commit: Commit }) {
  const [open, setOpen] = useState(false)
  const panelId = useId()
  const { name, Icon } = KINDS[commit.kind]
  return (
    <li className="relative -ml-px border-l-2 border-transparent pl-4 has-[>button[aria-expanded=true]]:border-accent">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen(!open)}
        className="flex w-full items-start gap-2 rounded-md px-2 py-2 text-left transition-colors hover:bg-hover"
      >
        <ChevronRight
          size={16}
          aria-hidden
          className={cx('mt-0.5 shrink-0 text-faint transition-transform', open && 'rotate-90')}
        />
        <span className="min-w-0 grow">
          <span className="block text-sm font-medium break-words">{commit.subject}</span>
          <span className="mt-1 flex flex-wrap gap-1">
            <Badge icon={<Icon size={12} aria-hidden />}>{name}</Badge>
            {commit.reverted_in && (
              <Badge tone="warn" icon={<Undo2 size={12} aria-hidden />}>
                {strings.takenBackIn(shortRef(commit.reverted_in))}
              </Badge>
            )}
            <MarkBadges events={[rememberedOf(commit)]} />
          </span>
        </span>
        <time
          dateTime={commit.committed_at}
          title={formatTime(commit.committed_at)}
          className="shrink-0 text-xs leading-5 text-faint tabular-nums"
        >
          {formatDay(commit.committed_at)}
        </time>
      </button>
      {open && <CommitPanel commit={commit} id={panelId} />}
    </li>
  )
}

function CommitPanel({ commit, id }: { commit: Commit; id: string }) {
  const { kind, message, files, ref, truncated } = commit
  const text = truncated ? `${message}…` : message
  return (
    <div id={id} className="grid animate-enter gap-4 pt-1 pr-2 pb-5 pl-8">
      <section aria-label={strings.whatItSays} className="grid gap-1">
        <div className="flex items-center gap-1.5 text-xs text-faint">
          <span className="grow font-mono break-all">{shortRef(ref)}</span>
          <CopyButton text={`${commit.subject}\n\n${message}`} label={strings.copySide(KINDS[kind].name)} />
        </div>
        <div className="min-w-0 text-sm break-words">
          {kind === 'commit' ? (
            <p className="whitespace-pre-wrap">{text}</p>
          ) : (
            <LazyMarkdown>{text}</LazyMarkdown>
          )}
        </div>
        <p className="text-xs text-faint">{strings.writtenByOthers}</p>
      </section>
      {files.length > 0 && (
        <ul aria-label={strings.filesOfCommit} className="grid gap-0.5 font-mono text-xs break-all text-soft">
          {files.map((file) => (
            <li key={file}>{file}</li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <MarkEvents events={[rememberedOf(commit)]} />
        <DeleteFromMemory
          what={plural(1, 'commit')}
          hint={strings.commitComesBack}
          remove={() =>
            call('DELETE /api/v1/project-context/commits/{commit_id}', { commit_id: commit.commit_id })
          }
        />
      </div>
    </div>
  )
}
