import { Tooltip as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Radix.Provider delayDuration={400} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
)

/** Explains; never the only place where something is said. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactElement }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-w-72 animate-enter rounded-md bg-ink px-2 py-1 text-xs text-page"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
