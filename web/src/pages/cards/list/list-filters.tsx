import { X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useQueryText } from '../../../lib/use-query-text.ts'
import { Input, Select, TextField } from '../../../ui/field.tsx'
import { type ListState, SORTS, type Sort } from '../list-state.ts'
import { TrackFilter } from '../track-filter.tsx'

type Props = {
  state: ListState
  change: (next: Partial<ListState>) => void
  /** The order if the address names none. */
  sort: Sort
  children?: ReactNode
}

/** Text, track, tag and order: the same on every list of cards. */
export function ListFilters({ state, change, sort, children }: Props) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <TextFilter value={state.q ?? ''} onChange={(q) => change({ q: q || undefined })} />
      <TagFilter value={state.tag} onChange={(tag) => change({ tag })} />
      {children}
      <TrackFilter value={state.track} onChange={(track) => change({ track })} />
      <Select
        aria-label="Sort by"
        className="w-auto!"
        value={state.sort ?? sort}
        onChange={(event) => change({ sort: event.target.value as Sort })}
      >
        {Object.entries(SORTS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </div>
  )
}

type TagFilterProps = { value: string | undefined; onChange: (tag: string | undefined) => void }

/** A tag is typed here, or chosen in a row; then it is shown with the way to drop it. */
function TagFilter({ value, onChange }: TagFilterProps) {
  const isTyped = useRef(false)
  const drop = useRef<HTMLButtonElement>(null)
  // The box that had the focus is gone.
  useEffect(() => {
    if (value && isTyped.current) drop.current?.focus()
    isTyped.current = false
  }, [value])
  if (!value)
    return (
      <Input
        aria-label="Tag"
        placeholder="Tag"
        maxLength={100}
        className="w-28!"
        onBlur={(event) => onChange(event.target.value.trim() || undefined)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          isTyped.current = true
          onChange(event.currentTarget.value.trim() || undefined)
        }}
      />
    )
  return (
    <button
      ref={drop}
      type="button"
      onClick={() => onChange(undefined)}
      aria-label={`Drop the tag ${value}`}
      className="inline-flex h-8 max-w-60 items-center gap-1.5 rounded-md bg-chosen px-2.5 font-mono text-xs text-accent-strong pointer-coarse:h-10"
    >
      <span className="truncate">{value}</span>
      <X size={12} aria-hidden className="shrink-0" />
    </button>
  )
}

function TextFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { text, setText } = useQueryText(value, onChange)
  return (
    <TextField
      label="Filter"
      hideLabel
      data-search-box=""
      data-focus="filter"
      className="min-w-32 grow sm:max-w-60"
      placeholder="Words in the card"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
