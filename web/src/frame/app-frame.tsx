import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { CloudOff, Command, Plus, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { DEFAULT_LANGUAGE } from '#server/shared/language.ts'
import { call } from '../api/client.ts'
import { cx } from '../lib/cx.ts'
import { setLanguage } from '../lib/format.ts'
import { useWide } from '../lib/hooks.ts'
import { browserLanguage } from '../lib/language.ts'
import { loadable } from '../lib/loadable.tsx'
import { useReachable } from '../lib/reachable.ts'
import { IS_MAC, useShortcut } from '../lib/shortcuts.ts'
import { draftsQuery } from '../pages/drafts/draft-queries.ts'
import { unreadQuery } from '../pages/inbox/inbox-queries.ts'
import { useMe, useSignedIn } from '../session.ts'
import { Badge, Key } from '../ui/badge.tsx'
import { IconButton, LinkButton } from '../ui/button.tsx'
import { Logo } from '../ui/logo.tsx'
import { isOpenAt, type NavItem, PAGES } from './nav.ts'
import * as strings from './strings.ts'
import { UserMenu } from './user-menu.tsx'

const palette = loadable(() => import('./command-palette.tsx'))
const keyboardHelp = loadable(() => import('./keyboard-help.tsx'))
const firstSteps = loadable(() => import('../pages/first-steps/first-steps.tsx'))
const sharing = loadable(() => import('../pages/settings/sharing.tsx'))

type OverlayProps = { onClose: () => void }

function LazyPalette(props: OverlayProps & { onKeys: () => void }) {
  const { value } = palette.useLoaded()
  return value && <value.CommandPalette {...props} />
}

function LazyKeyboardHelp(props: OverlayProps) {
  const { value } = keyboardHelp.useLoaded()
  return value && <value.KeyboardHelp {...props} />
}

function LazyFirstSteps({ withConnect }: { withConnect?: boolean }) {
  const { value } = firstSteps.useLoaded()
  if (!value) return null
  return (
    <>
      {withConnect && <value.ConnectLink />}
      <value.FirstSteps />
    </>
  )
}

function LazySharingQuestion() {
  const { value } = sharing.useLoaded()
  return value && <value.SharingQuestion />
}

/** The frame: side bar and content, on a narrow screen a bottom bar. Holds the keys that work everywhere. */
export function AppFrame() {
  const [overlay, setOverlay] = useState<'palette' | 'keys' | null>(null)
  const navigate = useNavigate()
  const chosen = useSignedIn()?.language ?? DEFAULT_LANGUAGE
  const language = chosen === DEFAULT_LANGUAGE ? browserLanguage(navigator.language) : chosen
  // Set before anything below is drawn, so that every date of a page is in one language.
  setLanguage(language)
  const close = () => setOverlay(null)
  const router = useRouter()
  // Back leads to another page also while the palette is open over this one.
  useEffect(
    () => router.subscribe('onResolved', ({ pathChanged }) => pathChanged && setOverlay(null)),
    [router],
  )
  useShortcut('mod+k', () => setOverlay((open) => (open === 'palette' ? null : 'palette')))
  useShortcut('?', () => setOverlay('keys'))
  useShortcut('c', () => void navigate({ to: '/cards/new' }))
  useShortcut('/', () => {
    const box = document.querySelector<HTMLInputElement>('[data-search-box]')
    if (box) box.focus()
    else void navigate({ to: '/' })
  })
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only z-60 rounded-md bg-panel px-3 py-2 shadow-float focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {strings.skipToContent}
      </a>
      <SideBar onPalette={() => setOverlay('palette')} />
      <main id="content" tabIndex={-1} className="min-w-0 grow pb-16 md:pb-0">
        <ConnectionBanner />
        <TopBar onPalette={() => setOverlay('palette')} onKeys={() => setOverlay('keys')} />
        <ServiceWarnings />
        <HomeSteps />
        <LazySharingQuestion />
        <Outlet key={language} />
      </main>
      <BottomBar />
      {overlay === 'palette' && <LazyPalette onClose={close} onKeys={() => setOverlay('keys')} />}
      {overlay === 'keys' && <LazyKeyboardHelp onClose={close} />}
    </div>
  )
}

function HomeSteps() {
  const isHome = useRouterState({ select: (state) => state.location.href === '/' })
  const wide = useWide()
  if (!isHome || wide) return null
  return (
    <div className="px-4 pt-4 empty:hidden">
      <LazyFirstSteps />
    </div>
  )
}

function SideBar({ onPalette }: { onPalette: () => void }) {
  return (
    <aside className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col border-r border-line bg-sunken/50 md:flex">
      <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto px-3 pt-4 pb-0.5">
        <Link to="/" className="flex items-center gap-2 rounded-md px-2 text-sm font-semibold">
          <Logo />
          {strings.vault}
        </Link>
        <button
          type="button"
          onClick={onPalette}
          className="flex h-8 shrink-0 items-center gap-2 rounded-md border border-line bg-panel px-2 text-sm text-faint transition-colors hover:border-line-strong hover:text-soft"
        >
          <Command size={14} aria-hidden />
          <span className="grow text-left">{strings.jumpTo}</span>
          <Key>{IS_MAC ? '⌘K' : 'Ctrl K'}</Key>
        </button>
        <nav aria-label={strings.main} className="grid gap-0.5">
          {PAGES.map((item) => (
            <SideLink key={item.label} item={item} />
          ))}
        </nav>
        <LinkButton to="/cards/new" look="plain" className="mx-0">
          <Plus size={14} aria-hidden />
          {strings.newCard}
        </LinkButton>
        <LazyFirstSteps withConnect />
      </div>
      {/* In a low window the links above scroll; the menu stays visible. */}
      <div className="grid border-t border-line px-3 pt-2 pb-4">
        <UserMenu />
      </div>
    </aside>
  )
}

const Count = ({ item }: { item: NavItem }) => (
  <>
    {item.to === '/inbox' && <UnreadBadge />}
    {item.to === '/drafts' && <DraftsBadge />}
  </>
)

function SideLink({ item }: { item: NavItem }) {
  const path = useRouterState({ select: (state) => state.location.pathname })
  return (
    <Link
      to={item.to}
      aria-current={isOpenAt(path, item) ? 'page' : undefined}
      className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <item.icon size={16} aria-hidden className="text-faint" />
      <span className="grow">{item.label}</span>
      <Count item={item} />
    </Link>
  )
}

/** On a narrow screen: where to, and the menu of the person. It scrolls away with the page. */
const TopBar = ({ onPalette, onKeys }: { onPalette: () => void; onKeys: () => void }) => (
  <header
    data-screen=""
    className="flex h-11 items-center justify-between border-b border-line bg-panel px-3 md:hidden"
  >
    <Link to="/" className="flex items-center gap-2 rounded-md text-sm font-semibold">
      <Logo />
      {strings.vault}
    </Link>
    <span className="flex items-center gap-1">
      <IconButton label={strings.jumpTo} onClick={onPalette}>
        <Command size={16} />
      </IconButton>
      <UserMenu small onKeys={onKeys} />
    </span>
  </header>
)

function BottomBar() {
  const path = useRouterState({ select: (state) => state.location.pathname })
  const cell = 'grid min-h-14 min-w-0 flex-1 place-items-center content-center gap-0.5 text-xs'
  return (
    <nav
      aria-label={strings.main}
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-panel md:hidden"
    >
      {PAGES.filter(({ onPhone }) => onPhone).map((item) => {
        const isOpen = isOpenAt(path, item)
        return (
          <Link
            key={item.label}
            to={item.to}
            aria-current={isOpen ? 'page' : undefined}
            className={cx(cell, isOpen ? 'text-accent' : 'text-soft')}
          >
            {/* First for those who hear it, below for those who see it. */}
            <span data-bar-name="" className="order-last">
              {item.label}
            </span>
            <span className="flex items-center gap-0.5">
              <item.icon size={18} aria-hidden />
              <Count item={item} />
            </span>
          </Link>
        )
      })}
    </nav>
  )
}

function ConnectionBanner() {
  const isReachable = useReachable()
  return (
    <div role="status" data-screen="" className="sticky top-0 z-20">
      {!isReachable && (
        <p className="flex items-start gap-2 border-b border-line bg-warn-soft px-4 py-2 text-sm text-ink">
          <CloudOff size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
          {strings.serverUnreachable}
        </p>
      )}
    </div>
  )
}

function DraftsBadge() {
  const { data } = useQuery(draftsQuery)
  if (!data || data.total === 0) return null
  return (
    <Badge>
      {data.total}
      <span className="sr-only">{strings.draftsWaiting}</span>
    </Badge>
  )
}

const warningsQuery = queryOptions({
  queryKey: ['service-warnings'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => call('GET /api/v1/admin/warnings', {}, { signal }),
})

/** Warnings about the server, for people who can fix them. */
function ServiceWarnings() {
  const me = useMe()
  const { data } = useQuery({ ...warningsQuery, enabled: me.is_admin })
  return data?.items.map(({ code, message }) => (
    <p
      key={code}
      role="status"
      className="flex items-start gap-2 border-b border-line bg-warn-soft px-4 py-2 text-sm text-ink"
    >
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
      {message}
    </p>
  ))
}

const MAX_UNREAD_SHOWN = 99

function UnreadBadge() {
  const { data } = useQuery(unreadQuery)
  if (!data || data.unread === 0) return null
  return (
    <Badge tone="accent">
      {data.unread > MAX_UNREAD_SHOWN ? `${MAX_UNREAD_SHOWN}+` : data.unread}
      <span className="sr-only">{strings.noticesUnread}</span>
    </Badge>
  )
}
