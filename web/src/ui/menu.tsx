import { Check } from 'lucide-react'
import {
  cloneElement,
  createContext,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { cx } from '../lib/cx.ts'

const CloseMenu = createContext<(focusTrigger: boolean) => void>(() => {})

type TriggerProps = Record<string, unknown>
type MenuProps = {
  trigger: ReactElement<TriggerProps>
  children: ReactNode
  align?: 'start' | 'end'
  side?: Side
}

/** A button with a list of actions. Arrow keys move, Escape closes, and the focus returns to the button. */
export function Menu({ trigger, children, align = 'end', side = 'bottom' }: MenuProps) {
  const [opened, setOpened] = useState<'by key' | 'by pointer' | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = (focusTrigger: boolean) => {
    setOpened(null)
    if (focusTrigger) button.current?.focus()
  }
  const toggle = (isKey: boolean) => setOpened(opened ? null : isKey ? 'by key' : 'by pointer')
  return (
    <CloseMenu value={close}>
      {cloneElement(trigger, {
        ref: button,
        id: `${id}-button`,
        'aria-haspopup': 'menu',
        'aria-expanded': opened !== null,
        // A click without a pointer is Enter or Space.
        onClick: (event: MouseEvent) => toggle(event.detail === 0),
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          setOpened('by key')
        },
      })}
      {opened && (
        <MenuList id={id} button={button} align={align} side={side} focusFirst={opened === 'by key'}>
          {children}
        </MenuList>
      )}
    </CloseMenu>
  )
}

type MenuListProps = {
  id: string
  button: RefObject<HTMLButtonElement | null>
  align: 'start' | 'end'
  side: Side
  focusFirst: boolean
  children: ReactNode
}

function MenuList({ id, button, align, side, focusFirst, children }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null)
  const close = useContext(CloseMenu)
  useLayoutEffect(() => {
    if (!list.current || !button.current) return
    showBeside(list.current, button.current.getBoundingClientRect(), side, align)
    const first = focusFirst ? itemsIn(list.current)[0] : undefined
    ;(first ?? list.current).focus({ preventScroll: true })
  }, [button, side, align, focusFirst])
  useCloseOutside(list, button, close)
  return createPortal(
    <div
      ref={list}
      role="menu"
      tabIndex={-1}
      aria-labelledby={`${id}-button`}
      onKeyDown={(event) => moveByKey(event, list.current, close)}
      className="fixed z-50 min-w-48 animate-enter overflow-y-auto rounded-md bg-panel p-1 shadow-float focus:outline-none"
    >
      {children}
    </div>,
    document.body,
  )
}

const itemsIn = (list: HTMLElement) => [
  ...list.querySelectorAll<HTMLButtonElement>('[role=menuitem]:not(:disabled)'),
]

function useCloseOutside(
  list: RefObject<HTMLElement | null>,
  button: RefObject<HTMLElement | null>,
  close: (focusTrigger: boolean) => void,
) {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    const isInside = (target: EventTarget | null) =>
      target instanceof Node && (list.current?.contains(target) || button.current?.contains(target))
    const leave = (event: Event) => {
      if (!isInside(event.target)) latest.current(false)
    }
    const positionOf = () => {
      const { left, top } = button.current?.getBoundingClientRect() ?? {}
      return `${left} ${top}`
    }
    const shownAt = positionOf()
    const leaveIfMoved = (event: Event) => {
      if (positionOf() !== shownAt) leave(event)
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('scroll', leaveIfMoved, true)
    addEventListener('resize', leaveIfMoved)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('scroll', leaveIfMoved, true)
      removeEventListener('resize', leaveIfMoved)
    }
  }, [list, button])
}

function moveByKey(
  event: KeyboardEvent,
  list: HTMLElement | null,
  close: (focusTrigger: boolean) => void,
): void {
  if (!list) return
  if (event.key === 'Escape' || event.key === 'Tab') {
    if (event.key === 'Escape') event.preventDefault()
    event.stopPropagation()
    close(true)
    return
  }
  const items = itemsIn(list)
  const at = items.indexOf(document.activeElement as HTMLButtonElement)
  const next = nextItem(event.key, items, at)
  if (!next) return
  event.preventDefault()
  event.stopPropagation()
  next.focus()
}

function nextItem(key: string, items: HTMLButtonElement[], at: number): HTMLButtonElement | undefined {
  if (key === 'ArrowDown') return items[(at + 1) % items.length]
  if (key === 'ArrowUp') return items.at(at <= 0 ? -1 : at - 1)
  if (key === 'Home') return items[0]
  if (key === 'End') return items.at(-1)
  if (key.length !== 1 || key === ' ') return undefined
  const starts = (item: HTMLElement) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase())
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(starts)
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
  const close = useContext(CloseMenu)
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      disabled={disabled}
      onClick={() => {
        close(true)
        onSelect()
      }}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      className={cx(
        'flex min-h-8 w-full items-center gap-2 rounded-sm px-2 text-left text-sm outline-none select-none focus:bg-hover disabled:opacity-50 pointer-coarse:min-h-10',
        danger ? 'text-bad' : 'text-ink',
      )}
    >
      {icon && <span className="text-faint">{icon}</span>}
      <span className="grow">{children}</span>
      {checked && <Check size={14} className="text-accent" aria-label="chosen" />}
    </button>
  )
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <div className="px-2 py-1 text-xs text-faint">{children}</div>
)

export const MenuLine = () => <hr className="-mx-1 my-1 h-px border-0 bg-line" />

type Side = 'top' | 'bottom'

const GAP = 4
const MARGIN = 8

/** Places an element beside its button, on the side with more room, within the screen. */
function showBeside(element: HTMLElement, button: DOMRect, side: Side, align: 'start' | 'end'): void {
  const { clientWidth, clientHeight } = document.documentElement
  const below = clientHeight - button.bottom - GAP - MARGIN
  const above = button.top - GAP - MARGIN
  const wanted = side === 'bottom' ? below : above
  const other = side === 'bottom' ? above : below
  const isFlipped = element.scrollHeight > wanted && other > wanted
  const isBelow = (side === 'bottom') !== isFlipped
  element.style.maxHeight = `${Math.max(isBelow ? below : above, 0)}px`
  const { width, height } = element.getBoundingClientRect()
  const left = align === 'start' ? button.left : button.right - width
  element.style.left = `${Math.max(MARGIN, Math.min(left, clientWidth - width - MARGIN))}px`
  element.style.top = `${isBelow ? button.bottom + GAP : button.top - GAP - height}px`
}
