import type { ReactNode } from 'react'

type Props = { title: string; strong?: boolean; action?: ReactNode; children: ReactNode }

/** A part of a card under its small heading, with its action beside it. */
export const CardPart = ({ title, strong, action, children }: Props) => (
  <section className={strong ? 'border-l-2 border-ok pl-4' : undefined}>
    <div className="mb-1.5 flex items-center gap-2">
      <h3 className="text-xs font-medium text-faint">{title}</h3>
      {action}
    </div>
    {children}
  </section>
)
