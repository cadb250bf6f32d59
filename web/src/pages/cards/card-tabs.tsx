import { Link, type LinkProps } from '@tanstack/react-router'
import { cx } from '../../lib/cx.ts'
import * as strings from './strings.ts'

type Tab = 'mine' | 'team' | 'library'

const TABS: ({ tab: Tab; label: string } & LinkProps)[] = [
  { tab: 'mine', label: strings.mine, to: '/cards', search: {} },
  { tab: 'team', label: strings.team, to: '/cards', search: { scope: 'workspace' } },
  { tab: 'library', label: strings.library, to: '/library' },
]

/** Whose cards the page lists. */
export const CardTabs = ({ shown }: { shown: Tab }) => (
  <nav aria-label={strings.whoseCards} className="mb-4 flex gap-4 border-b border-line">
    {TABS.map(({ tab, label, ...link }) => (
      <Link
        key={tab}
        {...link}
        aria-current={tab === shown ? 'page' : undefined}
        className={cx(
          '-mb-px border-b-2 py-2 text-sm whitespace-nowrap transition-colors hover:text-ink pointer-coarse:py-3',
          tab === shown ? 'border-accent font-medium text-ink' : 'border-transparent text-soft',
        )}
      >
        {label}
      </Link>
    ))}
  </nav>
)
