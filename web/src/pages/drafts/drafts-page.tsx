import { useQuery } from '@tanstack/react-query'
import { Pickaxe } from 'lucide-react'
import { useRef, useState } from 'react'
import type { CardDraft } from '../../api/drafts.ts'
import { configQuery } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { kvaultCommand } from '../account/agents.ts'
import { DraftItem } from './draft-item.tsx'
import { draftsQuery } from './draft-queries.ts'
import { withKept } from './kept-drafts.ts'

/** Drafts from the person's own work: they decide about each. */
export function DraftsPage() {
  const drafts = useQuery(draftsQuery)
  const listed = drafts.data?.items ?? []
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const shown = useRef<readonly CardDraft[]>([])
  const items = withKept(listed, shown.current, kept)
  shown.current = items
  const keep = (id: string, isKept: boolean) =>
    setKept((before) => new Set([...before].filter((one) => one !== id).concat(isKept ? id : [])))
  const { data: config } = useQuery(configQuery)
  const base = config?.base_url ?? location.origin
  return (
    <Page
      title="Drafts"
      lead="What your agents solved: a command failed, something was changed, and it worked. Only you see these, and none becomes a card by itself. A draft is kept for 30 days."
      actions={<LinkButton to="/effects">What it did for you</LinkButton>}
    >
      {!drafts.data && (
        <NotLoaded query={drafts}>
          <SkeletonList rows={3} />
        </NotLoaded>
      )}
      {drafts.data && items.length === 0 && (
        <EmptyState
          icon={<Pickaxe size={18} />}
          title="No drafts"
          example={<code className="break-words">{kvaultCommand(base, 'mine --dry-run')}</code>}
        >
          Drafts come from the exchanges that the hooks of your agents keep, at most three a day. This looks
          through the old sessions on your computer:
        </EmptyState>
      )}
      {items.length > 0 && (
        <ul aria-label="Drafts" className="divide-y divide-line border-y border-line">
          {items.map((draft) => (
            <DraftItem
              key={draft.draft_id}
              draft={draft}
              isGone={!listed.includes(draft)}
              onKeep={(isKept) => keep(draft.draft_id, isKept)}
            />
          ))}
        </ul>
      )}
    </Page>
  )
}
