import { useQuery } from '@tanstack/react-query'
import { Search, SlidersHorizontal, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { Scope } from '../../api/types.ts'
import { listWorkspaces } from '../../api/workspaces.ts'
import { credits } from '../../lib/format.ts'
import { Key } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Checkbox, Segmented, SelectField, TextField } from '../../ui/field.tsx'
import { TrackFilter } from '../cards/track-filter.tsx'
import { usePrice } from './paid-search.tsx'
import { environmentOf, listOf, type SearchState } from './search-state.ts'
import { type Change, SHORTEST_QUERY, useQueryText } from './use-query-text.ts'

type Props = {
  state: SearchState
  change: Change
  onSend: () => Promise<void>
  sending: boolean
}

const countFilters = ({ tags, env, plan, track, workspace }: SearchState): number =>
  listOf(tags).length +
  Object.keys(environmentOf(env)).length +
  [plan, track, workspace].filter(Boolean).length

export function SearchBar({ state, change, onSend, sending }: Props) {
  const query = useQueryText(state, change, onSend)
  const filters = countFilters(state)
  const [open, setOpen] = useState(filters > 0)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    query.submit()
  }
  return (
    <div className="sticky top-0 z-10 border-b border-line bg-page px-3 pt-3 pb-2 md:static md:px-4 md:pt-4">
      <search>
        <form onSubmit={submit}>
          <QueryBox text={query.text} onText={query.setText} onClear={query.clear}>
            {state.scope === 'public' && <PaidSearchButton text={query.text} sending={sending} />}
          </QueryBox>
          <div className="mt-2 flex flex-wrap items-center justify-between gap-2">
            <ScopeChoice
              value={state.scope ?? 'personal'}
              onChange={(scope) =>
                query.follow({ scope: scope === 'personal' ? undefined : scope, workspace: undefined })
              }
            />
            <Button look="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
              <SlidersHorizontal size={14} aria-hidden />
              Filters{filters > 0 && ` · ${filters}`}
            </Button>
          </div>
          {open && <Filters state={state} change={change} />}
        </form>
      </search>
    </div>
  )
}

type QueryBoxProps = {
  text: string
  onText: (text: string) => void
  onClear: () => void
  children: ReactNode
}

function QueryBox({ text, onText, onClear, children }: QueryBoxProps) {
  const box = useRef<HTMLInputElement>(null)
  const clear = () => {
    onClear()
    box.current?.focus()
  }
  return (
    <div className="flex h-11 items-center gap-2 rounded-md border border-line-strong bg-panel pr-1.5 pl-3 transition-colors has-[input:focus]:border-accent has-[input:focus]:outline-3 has-[input:focus]:outline-accent/22 hover:border-faint">
      <Search size={16} aria-hidden className="shrink-0 text-faint" />
      <input
        ref={box}
        data-search-box=""
        aria-label="Search"
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        autoFocus
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
        placeholder="An error, a question, a goal"
        className="h-full min-w-0 grow bg-transparent text-base outline-none!"
      />
      {text ? (
        <IconButton label="Clear" onClick={clear}>
          <X size={14} />
        </IconButton>
      ) : (
        <span className="hidden md:block">
          <Key>/</Key>
        </span>
      )}
      {children}
    </div>
  )
}

function PaidSearchButton({ text, sending }: { text: string; sending: boolean }) {
  const price = usePrice()
  return (
    <Button
      type="submit"
      look="primary"
      busy={sending}
      disabled={text.trim().length < SHORTEST_QUERY}
      aria-label={price > 0 ? `Search · ${credits(price)}` : 'Search'}
    >
      <span className={price > 0 ? 'max-sm:hidden' : ''}>Search</span>
      {price > 0 && (
        <>
          <span className="max-sm:hidden">·</span> {credits(price)}
        </>
      )}
    </Button>
  )
}

function ScopeChoice({ value, onChange }: { value: Scope; onChange: (scope: Scope) => void }) {
  const price = usePrice()
  const library = (
    <>
      Library
      {price > 0 && <span className="text-xs font-normal text-faint">{price} cr</span>}
    </>
  )
  return (
    <Segmented<Scope>
      label="Where to search"
      value={value}
      onChange={onChange}
      options={[
        { value: 'personal', label: 'Mine' },
        { value: 'workspace', label: 'Team' },
        { value: 'public', label: library },
      ]}
    />
  )
}

function Filters({ state, change }: Pick<Props, 'state' | 'change'>) {
  const workspaces = useQuery({
    queryKey: ['workspaces', 'mine'],
    queryFn: () => listWorkspaces({ include_public: false }),
  })
  return (
    <div className="mt-2 grid animate-enter gap-3 border-t border-line pt-3 pb-1 sm:grid-cols-2">
      <TextField
        label="Tags"
        hint="All of them, separated by commas."
        placeholder="postgres, docker"
        defaultValue={state.tags ?? ''}
        onBlur={(event) => change({ tags: event.target.value || undefined })}
        onKeyDown={(event) =>
          event.key === 'Enter' && change({ tags: event.currentTarget.value || undefined })
        }
      />
      <TextField
        label="Environment"
        hint="Name and version; 20 also finds 20.11."
        placeholder="node: 20, os: linux"
        defaultValue={state.env ?? ''}
        onBlur={(event) => change({ env: event.target.value || undefined })}
        onKeyDown={(event) =>
          event.key === 'Enter' && change({ env: event.currentTarget.value || undefined })
        }
      />
      {state.scope === 'workspace' && (
        <SelectField
          label="Workspace"
          value={state.workspace ?? ''}
          onChange={(event) => change({ workspace: event.target.value || undefined })}
        >
          <option value="">All of mine</option>
          {workspaces.data?.items.map((workspace) => (
            <option key={workspace.workspace_id} value={workspace.workspace_id}>
              {workspace.name}
            </option>
          ))}
        </SelectField>
      )}
      <TrackFilter value={state.track} onChange={(track) => change({ track, card: undefined })} />
      <Checkbox
        label="Make an action card"
        hint="One plan from the best hits, at no extra cost."
        checked={state.plan ?? false}
        onChange={(event) => change({ plan: event.target.checked || undefined, card: undefined })}
      />
    </div>
  )
}
