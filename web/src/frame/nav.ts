import type { LinkProps } from '@tanstack/react-router'
import { BookOpen, FileText, type LucideIcon, Search } from 'lucide-react'

export type NavItem = { to: LinkProps['to']; label: string; icon: LucideIcon; exact?: boolean }

/** The places of the side bar, in order; the first four also stand in the bottom bar of a narrow screen. */
export const places: NavItem[] = [
  { to: '/', label: 'Search', icon: Search, exact: true },
  { to: '/cards', label: 'My cards', icon: FileText },
  { to: '/library', label: 'Library', icon: BookOpen },
]

/** Below the line: the account and its surroundings. */
export const corners: NavItem[] = []
