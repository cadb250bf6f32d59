import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command, defaultFilter, useCommandState } from 'cmdk'
import { BookOpen, FileText, Keyboard, Moon, Plus, Search, Users } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { setTheme } from '../lib/theme.ts'
import { listOf } from '../pages/cards/card-filters.tsx'
import { ReadersLine } from '../pages/cards/readers.tsx'
import { KindIcon, keptQuery, stateOf } from '../pages/search/kept-searches.tsx'
import type { SearchState } from '../pages/search/search-state.ts'
import { useUsualReaders } from '../pages/search/sections.tsx'
import { workspacesQuery } from '../pages/workspaces/workspace-queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CORNER_PAGES, type NavItem, PAGES, useBillingPages } from './nav.ts'
import * as strings from './strings.ts'

export function CommandPalette({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const [text, setText] = useState('')
  const typed = text.trim()
  const navigate = useNavigate()
  // Found by its name, whatever the balance.
  const billing = useBillingPages().map((item) => ({ ...item, label: strings.billing }))
  const go: Go = (run) => () => {
    onClose()
    run()
  }
  return (
    <Dialog open onClose={onClose} title={strings.commandPalette} hideTitle>
      <Command label={strings.commandPalette} className="grid" filter={score}>
        <Command.Input
          data-autofocus=""
          value={text}
          onValueChange={setText}
          placeholder={strings.palettePlaceholder}
          className="h-12 border-b border-line bg-panel px-4 text-base outline-none"
        />
        <Command.List className="max-h-list-height overflow-y-auto p-2">
          <Command.Empty className="px-3 py-6 text-center text-sm text-faint">
            {strings.nothingByThatName}
          </Command.Empty>
          <KeptGroup typed={typed} onChoose={(search) => go(() => navigate({ to: '/', search }))()} />
          <Command.Group heading={<Heading>{strings.create}</Heading>}>
            <Item icon={<Plus size={16} />} onSelect={go(() => navigate({ to: '/cards/new' }))}>
              {strings.newCard}
            </Item>
          </Command.Group>
          <Command.Group heading={<Heading>{strings.goTo}</Heading>}>
            {[...PAGES, LIBRARY, ...CORNER_PAGES, ...billing].map((item) => (
              <Item
                key={item.label}
                icon={<item.icon size={16} />}
                onSelect={go(() => navigate({ to: item.to }))}
              >
                {item.label}
              </Item>
            ))}
          </Command.Group>
          <WorkspaceGroup go={go} />
          <Command.Group heading={<Heading>{strings.view}</Heading>}>
            <Item icon={<Moon size={16} />} onSelect={go(toggleTheme)}>
              {strings.switchTheme}
            </Item>
            <Item icon={<Keyboard size={16} />} onSelect={onKeys}>
              {strings.keyboardShortcuts}
            </Item>
          </Command.Group>
          {typed !== '' && <SearchGroup typed={typed} go={go} />}
        </Command.List>
        <ChosenRow />
      </Command>
    </Dialog>
  )
}

/** For screen readers: cmdk names the row chosen one letter ago; this names the row that Enter opens. */
function ChosenRow() {
  const marker = useRef<HTMLSpanElement>(null)
  useCommandState(({ value, search, selectedItemId }) => [value, search, selectedItemId].join('\n'))
  useEffect(() => {
    const palette = marker.current?.parentElement
    const row = palette?.querySelector('[cmdk-item][aria-selected=true]')
    for (const part of palette?.querySelectorAll('[cmdk-input], [cmdk-list]') ?? [])
      part.setAttribute('aria-activedescendant', row?.id ?? '')
  })
  return <span ref={marker} hidden />
}

const LIBRARY: NavItem = { to: '/library', label: strings.library, icon: BookOpen }

type Go = (run: () => unknown) => () => void

/** Marks the rows that fit any typed text: the server has found them. */
const FOUND = 'found:'
const MIN_SCORE = 0.3

const score: typeof defaultFilter = (value, ...search) => {
  if (value.startsWith(FOUND)) return 1
  const found = defaultFilter(value, ...search)
  return found < MIN_SCORE ? 0 : found
}

/** The last group, so that late hits neither move nor replace the chosen row. */
function SearchGroup({ typed, go }: { typed: string; go: Go }) {
  const query = useDeferredValue(typed)
  const isUsual = useUsualReaders()
  const navigate = useNavigate()
  const { data } = useQuery({
    queryKey: ['palette', query],
    queryFn: ({ signal }) =>
      call(
        'POST /api/v1/search/box',
        { query, typing: true, sections: ['mine', 'team'], limit: 5 },
        { signal },
      ),
  })
  return (
    <Command.Group heading={<Heading>{strings.search}</Heading>}>
      <Item
        icon={<Search size={16} />}
        value={FOUND}
        onSelect={go(() => navigate({ to: '/', search: { q: typed } }))}
      >
        {strings.searchForTyped(typed)}
      </Item>
      {[...(data?.mine?.results ?? []), ...(data?.team?.results ?? [])].map((card) => (
        <Item
          key={card.card_id}
          icon={<FileText size={16} />}
          value={FOUND + card.card_id}
          onSelect={go(() => navigate({ to: '/cards/$cardId', params: { cardId: card.card_id } }))}
          aside={isUsual(card) ? undefined : <ReadersLine card={card} className="max-w-1/2 shrink-0" />}
        >
          {card.title}
        </Item>
      ))}
    </Command.Group>
  )
}

function WorkspaceGroup({ go }: { go: Go }) {
  const navigate = useNavigate()
  const { data } = useQuery(workspacesQuery)
  if (!data || data.items.length === 0) return null
  return (
    <Command.Group heading={<Heading>{strings.workspaces}</Heading>}>
      {data.items.map((workspace) => (
        <Item
          key={workspace.workspace_id}
          icon={<Users size={16} />}
          value={`${workspace.name} ${workspace.workspace_id}`}
          onSelect={go(() => navigate({ to: '/cards', search: listOf(workspace) }))}
        >
          {workspace.name}
        </Item>
      ))}
    </Command.Group>
  )
}

const RECENT_SHOWN = 5

function KeptGroup({ typed, onChoose }: { typed: string; onChoose: (state: SearchState) => void }) {
  const { data: kept } = useQuery(keptQuery)
  const recent = typed === '' ? kept?.recent.slice(0, RECENT_SHOWN) : kept?.recent
  const all = [...(kept?.saved ?? []), ...(recent ?? [])]
  if (all.length === 0) return null
  return (
    <Command.Group heading={<Heading>{strings.yourSearches}</Heading>}>
      {all.map((search) => (
        <Item
          key={search.search_id}
          icon={<KindIcon kind={search.kind} />}
          value={`${search.name ?? ''} ${search.query} ${search.search_id}`}
          onSelect={() => onChoose(stateOf(search))}
        >
          {search.name ?? search.query}
        </Item>
      ))}
    </Command.Group>
  )
}

const Heading = ({ children }: { children: ReactNode }) => (
  <span className="block px-2 pt-2 pb-1 text-xs text-faint">{children}</span>
)

type ItemProps = {
  icon: ReactNode
  value?: string
  onSelect: () => void
  aside?: ReactNode
  children: ReactNode
}

const Item = ({ icon, value, onSelect, aside, children }: ItemProps) => (
  <Command.Item
    {...(value ? { value } : {})}
    onSelect={onSelect}
    className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-sm px-2 text-sm data-[selected=true]:bg-hover"
  >
    <span className="text-faint">{icon}</span>
    <span className="min-w-0 grow truncate">{children}</span>
    {aside}
  </Command.Item>
)

function toggleTheme() {
  const isDark =
    document.documentElement.dataset.theme === 'dark' ||
    (!document.documentElement.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches)
  setTheme(isDark ? 'light' : 'dark')
}
