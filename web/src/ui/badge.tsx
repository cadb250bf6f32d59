import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'

type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad'
const TONES: Record<Tone, string> = {
  neutral: 'bg-sunken text-soft',
  accent: 'bg-chosen text-accent-strong',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
}

export const Badge = ({
  tone = 'neutral',
  icon,
  children,
}: {
  tone?: Tone
  icon?: ReactNode
  children: ReactNode
}) => (
  <span
    className={cx(
      'inline-flex h-5 shrink-0 items-center gap-1 rounded-sm px-1.5 text-xs whitespace-nowrap max-xs:h-auto max-xs:min-h-5 max-xs:shrink max-xs:whitespace-normal',
      TONES[tone],
    )}
  >
    {icon}
    {children}
  </span>
)

export const Tag = ({ children }: { children: ReactNode }) => (
  <span className="inline-flex h-5 max-w-full items-center rounded-sm border border-line px-1.5 font-mono text-xs text-soft">
    <span className="truncate">{children}</span>
  </span>
)

export const Key = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-grid h-5 min-w-5 place-items-center rounded-sm border border-line bg-sunken px-1 font-sans text-xs text-soft">
    {children}
  </kbd>
)
