import type { ReactNode } from 'react'
import { useTitle } from '../../lib/title.ts'
import { Logo } from '../../ui/logo.tsx'
import * as strings from './strings.ts'

/** The small centred form of sign in, sign up and reset. */
export function AccountCard({
  title,
  lead,
  children,
  footer,
}: {
  title: string
  lead?: ReactNode
  children: ReactNode
  footer?: ReactNode
}) {
  useTitle(title)
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-field">
        <div className="mb-6 flex items-center gap-2 text-sm font-semibold">
          <Logo size={24} />
          {strings.knowledgeVault}
        </div>
        <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
        {lead && <p className="mt-1 text-sm text-soft">{lead}</p>}
        <div className="mt-6 grid gap-4">{children}</div>
        {footer && <p className="mt-6 text-sm text-soft">{footer}</p>}
      </div>
    </main>
  )
}

export const LINK_CLASS = 'rounded-sm font-medium text-accent hover:underline underline-offset-2'
