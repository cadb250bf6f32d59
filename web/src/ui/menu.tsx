import { Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'

type MenuProps = { trigger: ReactNode; children: ReactNode; align?: 'start' | 'end'; side?: 'top' | 'bottom' }

/** Not modal: the modal kind locks scrolling through an injected style element, which the CSP forbids. */
export function Menu({ trigger, children, align = 'end', side = 'bottom' }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-enter overflow-y-auto rounded-md bg-panel p-1 shadow-float"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

type MenuItemProps = {
  onSelect: () => void
  icon?: ReactNode
  children: ReactNode
  danger?: boolean
  disabled?: boolean
  checked?: boolean
}

export function MenuItem({ onSelect, icon, children, danger, disabled, checked }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={cx(
        'flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2 text-sm outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover pointer-coarse:min-h-10',
        danger ? 'text-bad' : 'text-ink',
      )}
    >
      {icon && <span className="text-faint">{icon}</span>}
      <span className="grow">{children}</span>
      {checked && <Check size={14} className="text-accent" aria-label="chosen" />}
    </DropdownMenu.Item>
  )
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="px-2 py-1 text-xs text-faint">{children}</DropdownMenu.Label>
)

export const MenuLine = () => <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />
