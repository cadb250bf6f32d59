import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import {
  BookText,
  Brain,
  ChartColumn,
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
  { to: '/settings', label: strings.settings, icon: Settings },
  { to: '/guide', label: strings.guide, icon: BookText },
  { to: '/support', label: strings.support, icon: LifeBuoy },
]

export const isOpenAt = (path: string, { to, exact, also }: NavItem): boolean =>
  exact ? path === to : path.startsWith(String(to)) || (also !== undefined && path.startsWith(also))

/** Returns the one entry about money: the balance, or Billing where credits are off. */
export function useBillingPages(): NavItem[] {
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  if (!me.shows_credits) return []
  const label = config?.credits === false ? strings.billing : credits(me.credits_balance)
  return [{ to: '/billing', label, icon: Coins }]
}
