import { useQuery } from '@tanstack/react-query'
import { Bookmark, BookmarkCheck, Search, SlidersHorizontal, X } from 'lucide-react'
import { type ComponentProps, type FormEvent, type ReactNode, useRef, useState } from 'react'
import { FILTER_NAMES } from '#server/shared/card-fields.ts'
import { useQueryText } from '../../lib/hooks.ts'
import { Key } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx'
import { PartNotLoaded } from '../../ui/states.tsx'
import { chosenLabels, filterLabel, WordFilter } from '../cards/card-filters.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { remember, useKeptSearches } from './kept-searches.tsx'
import {
  environmentOf,
  hasUnreadEnvironment,
  listOf,
  NOTHING_CHOSEN,
  type SearchState,
} from './search-state.ts'
import * as strings from './strings.ts'

type Props = { state: SearchState; change: (next: Partial<SearchState>) => void; onEnter: () => void }

const countFilters = ({ tags, env, plan, workspace, ...others }: SearchState): number =>
  listOf(tags).length +
  Object.keys(environmentOf(env)).length +
  chosenLabels(others).length +
  [plan, workspace].filter(Boolean).length

/** Enter opens the chosen hit; without one the answer is already on screen. */
export function SearchBar({ state, change, onEnter }: Props) {
  const query = useQueryText(state.q ?? '', (q) => change({ q: q || undefined, ...NOTHING_CHOSEN }))
  const filters = countFilters(state)
  const [open, setOpen] = useState(filters > 0 || state.env !== undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (query.flush()) return
    remember(state)
    onEnter()
  }
  return (
    <div className="sticky top-0 z-20 border-b border-line bg-page px-3 pt-3 pb-2 md:static md:px-4">
      <search>
        <form onSubmit={submit}>
          <QueryBox text={query.text} onText={query.setText} onClear={query.clear}>
            {state.q && <SaveButton state={state} />}
            <IconButton
              label={strings.filtersButton(filters > 0 ? ` · ${filters}` : '')}
              aria-expanded={open}
              onClick={() => setOpen(!open)}
              className={filters > 0 ? 'text-accent!' : ''}
            >
              <SlidersHorizontal size={14} />
            </IconButton>
          </QueryBox>
        </form>
        {/* Outside the form: with more than one field, Enter would submit nothing. */}
        {open && <Filters state={state} change={change} />}
      </search>
    </div>
  )
}

function SaveButton({ state }: { state: SearchState }) {
  const { save, forget, isSaved } = useKeptSearches()
  const saved = isSaved(state)
  return saved ? (
    <IconButton label={strings.savedRemoveIt} className="text-accent!" onClick={() => forget.mutate(saved)}>
      <BookmarkCheck size={14} />
    </IconButton>
  ) : (
    <IconButton label={strings.saveThisSearch} onClick={() => save.mutate(state)}>
      <Bookmark size={14} />
    </IconButton>
  )
}

type QueryBoxProps = {
  text: string
  onText: (text: string) => void
  onClear: () => void
  children: ReactNode
}

/** In characters: a whole log would slow the page and make its address too long. */
const MAX_TEXT_CHARS = 20_000
/** Below the server's limit for an address with its headers. Most letters beyond ASCII take six or nine characters. */
const MAX_ADDRESS_CHARS = 48_000

/** Returns the beginning and the end of a long text, where a log names its cause. */
const shortenText = (text: string, most: number): string =>
  `${text.slice(0, most / 2)} ${text.slice(1 - most / 2)}`.replaceAll('\n', ' ').toWellFormed()

function fitting(text: string): string {
  for (let most = MAX_TEXT_CHARS; ; most /= 2) {
    const shown = text.length > most ? shortenText(text, most) : text
    if (encodeURIComponent(shown).length <= MAX_ADDRESS_CHARS) return shown
  }
}

function QueryBox({ text, onText, onClear, children }: QueryBoxProps) {
  const box = useRef<HTMLInputElement>(null)
  const clear = () => {
    onClear()
    box.current?.focus()
  }
  return (
    <div className="flex h-11 items-center gap-1 rounded-md border border-line-strong bg-panel pr-1.5 pl-3 transition-colors has-[input:focus]:border-accent has-[input:focus]:outline-3 has-[input:focus]:outline-accent/22 hover:border-faint">
      <Search size={16} aria-hidden className="mr-1 shrink-0 text-faint" />
      <input
        ref={box}
        data-search-box=""
        data-focus="search"
        aria-label={strings.search}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        autoFocus
        maxLength={MAX_TEXT_CHARS}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text/plain').toWellFormed()
          const shown = fitting(pasted)
          if (shown === pasted) return
          event.preventDefault()
          onText(shown)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
        placeholder={strings.searchPlaceholder}
        className="h-full min-w-0 grow bg-transparent text-base outline-none!"
      />
      {text ? (
        <IconButton label={strings.clear} onClick={clear}>
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

function Filters({ state, change }: Pick<Props, 'state' | 'change'>) {
  const workspaces = useQuery(workspacesQuery)
  return (
    <div className="mt-2 grid animate-enter gap-3 border-t border-line pt-3 pb-1 sm:grid-cols-2">
      <WrittenFilter
        label={strings.tags}
        hint={strings.tagsHint}
        placeholder={strings.tagsExample}
        value={state.tags}
        onApply={(tags) => change({ tags })}
      />
      <WrittenFilter
        label={strings.environment}
        hint={strings.environmentHint}
        placeholder={strings.environmentExample}
        value={state.env}
        error={hasUnreadEnvironment(state.env) ? strings.environmentUnread : undefined}
        onApply={(env) => change({ env })}
      />
      <PartNotLoaded what={strings.yourWorkspaces} query={workspaces}>
        <SelectField
          label={strings.workspace}
          value={state.workspace ?? ''}
          onChange={(event) => change({ workspace: event.target.value || undefined, ...NOTHING_CHOSEN })}
        >
          <option value="">{strings.allOfMine}</option>
          {workspaces.data?.items.map((workspace) => (
            <option key={workspace.workspace_id} value={workspace.workspace_id}>
              {workspace.type === 'personal' ? strings.personal : workspace.name}
            </option>
          ))}
        </SelectField>
      </PartNotLoaded>
      {FILTER_NAMES.map((name) => (
        <div key={name} className="grid content-start gap-1.5">
          <span aria-hidden className="text-sm font-medium">
            {filterLabel(name)}
          </span>
          <WordFilter
            name={name}
            filters={state}
            onChange={(filters) => change({ ...filters, ...NOTHING_CHOSEN })}
          />
        </div>
      ))}
      <Checkbox
        label={strings.makeActionCard}
        hint={strings.makeActionCardHint}
        checked={state.plan ?? false}
        onChange={(event) => change({ plan: event.target.checked || undefined, ...NOTHING_CHOSEN })}
      />
    </div>
  )
}

type WrittenFilterProps = Pick<
  ComponentProps<typeof TextField>,
  'label' | 'hint' | 'placeholder' | 'error'
> & {
  value: string | undefined
  onApply: (value: string | undefined) => void
}

function WrittenFilter({ value, onApply, ...field }: WrittenFilterProps) {
  const [text, setText] = useState(value ?? '')
  const [followed, setFollowed] = useState(value)
  if (value !== followed) {
    setFollowed(value)
    setText(value ?? '')
  }
  const apply = () => text !== (value ?? '') && onApply(text || undefined)
  return (
    <TextField
      {...field}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  )
}
