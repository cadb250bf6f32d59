import type { LinkProps } from '@tanstack/react-router'
import {
  BookOpen,
  BookText,
  Brain,
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

export type NavItem = { to: LinkProps['to']; label: string; icon: LucideIcon; exact?: boolean }

/** The pages of the side bar, in order; the first four are also in the bottom bar. */
export const PAGES: NavItem[] = [
  { to: '/', label: strings.search, icon: Search, exact: true },
  { to: '/cards', label: strings.myCards, icon: FileText },
  { to: '/library', label: strings.library, icon: BookOpen },
  { to: '/memory', label: strings.memory, icon: Brain },
  { to: '/workspaces', label: strings.team, icon: Users },
]

export const CORNER_PAGES: NavItem[] = [
  { to: '/connect', label: strings.connectYourAgent, icon: Plug },
  { to: '/inbox', label: strings.inbox, icon: Inbox },
  { to: '/drafts', label: strings.drafts, icon: Pickaxe },
  { to: '/billing', label: strings.billing, icon: CreditCard },
  { to: '/settings', label: strings.settings, icon: Settings },
  { to: '/guide', label: strings.guide, icon: BookText },
  { to: '/support', label: strings.support, icon: LifeBuoy },
]
