import type { Card } from '../../api/types.ts'
import { formatAgo } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'
import { type Draft, draftOf } from './draft.ts'
import { VersionDiff } from './version-diff.tsx'

type Props = { mine: Draft; theirs: Card; onKeepMine: () => void; onTakeTheirs: () => void }

/** Somebody saved in between: both texts side by side, and the choice. */
export function ConflictNotice({ mine, theirs, onKeepMine, onTakeTheirs }: Props) {
  return (
    <div className="grid gap-3">
      <Notice
        tone="warn"
        action={
          <span className="flex flex-wrap gap-2">
            <Button size="sm" onClick={onTakeTheirs}>
              Take theirs
            </Button>
            <Button size="sm" onClick={onKeepMine}>
              Go on with mine
            </Button>
          </span>
        }
      >
        This card was changed {formatAgo(theirs.updated_at)} (version {theirs.version}). Nothing was saved
        over it, and your text is still here.
      </Notice>
      <details className="rounded-md border border-line px-3 py-2" open>
        <summary className="text-sm">What your text changes in their version</summary>
        <div className="pt-3">
          <VersionDiff before={draftOf(theirs)} after={mine} />
        </div>
      </details>
    </div>
  )
}
