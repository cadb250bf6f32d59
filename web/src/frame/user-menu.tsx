import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, Keyboard, LogOut, Monitor, Moon, ShieldCheck, Sun } from 'lucide-react'
import { cx } from '../lib/cx.ts'
import { setTheme, type Theme, useTheme } from '../lib/theme.ts'
import { signOut, useMe } from '../session.ts'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx'
import { toastError } from '../ui/toast.tsx'
import { CORNER_PAGES, type NavItem, PAGES, useBillingPages } from './nav.ts'
import * as strings from './strings.ts'

const THEMES: { value: Theme; label: string; icon: typeof Sun }[] = [
  { value: 'system', label: strings.asTheSystem, icon: Monitor },
  { value: 'light', label: strings.light, icon: Sun },
  { value: 'dark', label: strings.dark, icon: Moon },
]

export function UserMenu({ small, onKeys }: { small?: boolean; onKeys?: () => void }) {
  const me = useMe()
  const name = me.display_name || me.email
  return (
    <Menu
      align={small ? 'end' : 'start'}
      side={small ? 'bottom' : 'top'}
      trigger={
        <button
          type="button"
          className="flex h-9 items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-hover"
        >
          <Avatar name={name} />
          <span className={cx('min-w-0 grow truncate', small && 'sr-only')}>
            <span className="sr-only">{strings.accountBefore}</span>
            {name}
          </span>
          {!small && <ChevronsUpDown size={14} aria-hidden className="text-faint" />}
        </button>
      }
    >
      {small && <PageItems pages={PAGES.filter(({ onPhone }) => !onPhone)} />}
      <UserMenuItems {...(onKeys && { onKeys })} />
    </Menu>
  )
}

function PageItems({ pages }: { pages: NavItem[] }) {
  const navigate = useNavigate()
  return pages.map(({ to, label, icon: Icon }) => (
    <MenuItem key={label} icon={<Icon size={16} />} onSelect={() => void navigate({ to })}>
      {label}
    </MenuItem>
  ))
}

function UserMenuItems({ onKeys }: { onKeys?: () => void }) {
  const me = useMe()
  const theme = useTheme()
  const navigate = useNavigate()
  const pages = [...CORNER_PAGES, ...useBillingPages()]
  return (
    <>
      <MenuLabel>{me.email}</MenuLabel>
      <PageItems pages={pages} />
      {me.is_moderator && (
        <MenuItem icon={<ShieldCheck size={16} />} onSelect={() => void navigate({ to: '/moderation' })}>
          {strings.moderation}
        </MenuItem>
      )}
      {onKeys && (
        <MenuItem icon={<Keyboard size={16} />} onSelect={onKeys}>
          {strings.keyboard}
        </MenuItem>
      )}
      <MenuLine />
      {THEMES.map(({ value, label, icon: Icon }) => (
        <MenuItem
          key={value}
          icon={<Icon size={16} />}
          checked={theme === value}
          onSelect={() => setTheme(value)}
        >
          {label}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem
        icon={<LogOut size={16} />}
        onSelect={() => void signOut().then(() => navigate({ to: '/sign-in' }), toastError)}
      >
        {strings.signOut}
      </MenuItem>
    </>
  )
}

export function Avatar({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="grid size-6 shrink-0 place-items-center rounded-full bg-chosen text-xs font-medium text-accent-strong uppercase"
    >
      {name.trim().charAt(0)}
    </span>
  )
}
