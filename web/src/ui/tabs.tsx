import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

type Tab<T extends string> = {
  value: T
  label: ReactNode
  content: ReactNode
  /** The panel stays mounted while another one shows, with its text. */
  keep?: boolean
}

type TabsProps<T extends string> = { label: string; value: T; onChange: (value: T) => void; tabs: Tab<T>[] }

export function Tabs<T extends string>({ label, value, onChange, tabs }: TabsProps<T>) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)}>
      <Radix.List aria-label={label} className="flex gap-4 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent py-2 text-sm whitespace-nowrap text-soft transition-colors hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink pointer-coarse:py-3"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.value}
          value={tab.value}
          forceMount={tab.keep || undefined}
          className="pt-4 focus-visible:outline-offset-4 data-[state=inactive]:hidden"
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
