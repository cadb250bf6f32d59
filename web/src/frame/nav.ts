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

export type NavItem = { to: LinkProps['to']; label: string; icon: LucideIcon; exact?: boolean }

/** The pages of the side bar, in order; the first four are also in the bottom bar. */
export const PAGES: NavItem[] = [
  { to: '/', label: 'Search', icon: Search, exact: true },
  { to: '/cards', label: 'My cards', icon: FileText },
  { to: '/library', label: 'Library', icon: BookOpen },
  { to: '/memory', label: 'Memory', icon: Brain },
  { to: '/workspaces', label: 'Team', icon: Users },
]

export const CORNER_PAGES: NavItem[] = [
  { to: '/connect', label: 'Connect your agent', icon: Plug },
  { to: '/inbox', label: 'Inbox', icon: Inbox },
  { to: '/drafts', label: 'Drafts', icon: Pickaxe },
  { to: '/billing', label: 'Billing', icon: CreditCard },
  { to: '/settings', label: 'Settings', icon: Settings },
  { to: '/guide', label: 'Guide', icon: BookText },
  { to: '/support', label: 'Support', icon: LifeBuoy },
]
