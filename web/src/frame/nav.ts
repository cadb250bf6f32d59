import type { LinkProps } from '@tanstack/react-router'
import {
  BookText,
  Brain,
  ChartColumn,
  CreditCard,
  FileText,
  Inbox,
  LifeBuoy,
  type LucideIcon,
  Pickaxe,
  Plug,
  Search,
  Settings,
  Users,
} from 'lucide-react'
import * as strings from './strings.ts'

/** `also`: the beginning of another address that belongs to the item. `onPhone`: in the bar of a narrow screen. */
export type NavItem = {
  to: LinkProps['to']
  label: string
  icon: LucideIcon
  exact?: boolean
  also?: string
  onPhone?: boolean
}

/** The pages of the side bar, in order. */
export const PAGES: NavItem[] = [
  { to: '/', label: strings.home, icon: Search, exact: true, onPhone: true },
  { to: '/cards', label: strings.cards, icon: FileText, also: '/library', onPhone: true },
  { to: '/memory', label: strings.memory, icon: Brain },
  { to: '/workspaces', label: strings.team, icon: Users, onPhone: true },
  { to: '/inbox', label: strings.inbox, icon: Inbox, onPhone: true },
  { to: '/drafts', label: strings.drafts, icon: Pickaxe, onPhone: true },
]

/** The pages in the menu of the person. */
export const CORNER_PAGES: NavItem[] = [
  { to: '/connect', label: strings.connectYourAgent, icon: Plug },
  { to: '/effects', label: strings.insights, icon: ChartColumn },
  { to: '/billing', label: strings.billing, icon: CreditCard },
  { to: '/settings', label: strings.settings, icon: Settings },
  { to: '/guide', label: strings.guide, icon: BookText },
  { to: '/support', label: strings.support, icon: LifeBuoy },
]

export const isOpenAt = (path: string, { to, exact, also }: NavItem): boolean =>
  exact ? path === to : path.startsWith(String(to)) || (also !== undefined && path.startsWith(also))
