import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import {
  BookOpen,
  BookText,
  Brain,
  Coins,
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
import { credits } from '../lib/format.ts'
import { configQuery, useMe } from '../session.ts'
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
  { to: '/settings', label: strings.settings, icon: Settings },
  { to: '/guide', label: strings.guide, icon: BookText },
  { to: '/support', label: strings.support, icon: LifeBuoy },
]

/** Returns the one entry about money: the balance, or Billing where credits are off. */
export function useBillingPages(): NavItem[] {
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  if (!me.shows_credits) return []
  const label = config?.credits === false ? strings.billing : credits(me.credits_balance)
  return [{ to: '/billing', label, icon: Coins }]
}
