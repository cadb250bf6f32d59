import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { useTitle } from '../lib/title.ts'

type PageProps = {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  back?: ReactNode
  children: ReactNode
  narrow?: boolean
}

export function Page({ title, lead, actions, back, children, narrow }: PageProps) {
  useTitle(title)
  return (
    <div
      className={cx(
        'mx-auto w-full px-4 pt-5 pb-16 md:px-8 md:pt-7',
        narrow ? 'max-w-reading' : 'max-w-page',
      )}
    >
      {back && <div className="mb-2 text-sm">{back}</div>}
      <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 max-w-lead">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          {lead && <p className="mt-1 text-sm text-soft">{lead}</p>}
        </div>
        {actions && (
          <div data-screen="" className="flex flex-wrap items-center gap-2">
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  )
}

type SectionProps = { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }

export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section className="border-t border-line py-6 first:border-t-0 first:pt-0">
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div className="max-w-lead">
          <h2 className="text-base font-semibold">{title}</h2>
          {lead && <p className="mt-0.5 text-sm text-soft">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

export const BackLink = ({ children, ...link }: LinkProps & { children: ReactNode }) => (
  <Link {...link} className="inline-flex items-center gap-1 rounded-sm text-soft hover:text-ink">
    <ArrowLeft size={14} aria-hidden />
    {children}
  </Link>
)
