import { X } from 'lucide-react'
import type { EventType } from '../../../api/memory.ts'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/field.tsx'
import type { TimelineFilter } from '../memory-queries.ts'
import { EVENT_TYPES } from '../routes.ts'

type Props = { filter: TimelineFilter; onChange: (filter: TimelineFilter) => void }

/** Chooses a type. A session is chosen on the timeline itself. */
export function TimelineFilterBar({ filter, onChange }: Props) {
  const isNarrowed = filter.session !== undefined || filter.type !== undefined
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <Select
        aria-label="Type of events"
        className="w-52"
        value={filter.type ?? ''}
        onChange={(event) =>
          onChange({ ...filter, type: (event.target.value || undefined) as EventType | undefined })
        }
      >
        <option value="">All types</option>
        {Object.entries(EVENT_TYPES).map(([type, label]) => (
          <option key={type} value={type}>
            {label}
          </option>
        ))}
      </Select>
      {filter.session && (
        <span className="max-w-64 truncate text-sm text-soft" title={filter.session}>
          Session <span className="font-mono text-xs">{filter.session}</span>
        </span>
      )}
      {isNarrowed && (
        <Button look="ghost" size="sm" onClick={() => onChange({})}>
          <X size={14} aria-hidden />
          Show all
        </Button>
      )}
    </div>
  )
}
