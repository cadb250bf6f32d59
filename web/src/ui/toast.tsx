import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useId, useRef, useSyncExternalStore } from 'react'
import { ApiError, SessionOver } from '../api/client.ts'
import { cx } from '../lib/cx.ts'
import { IconButton } from './button.tsx'

type Toast = {
  id: number
  message: string
  tone: 'ok' | 'bad'
  action?: { label: string; run: () => void } | undefined
  detail?: string | undefined
  /** A later notice about the same subject replaces it, since its undo would skip later changes. */
  about?: string | undefined
}

type State = {
  toasts: readonly Toast[]
  /** The page, or the dialog opened last, since a dialog makes all around it inert. */
  regions: readonly string[]
}

const SHOWN_MS = 4000
const SHOWN_WITH_ACTION_MS = 8000
const MAX_TOASTS = 3

let state: State = { toasts: [], regions: [] }
let lastId = 0
const listeners = new Set<() => void>()

function change(next: Partial<State>) {
  state = { ...state, ...next }
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => change({ toasts: state.toasts.filter((toast) => toast.id !== id) })

function show(toast: Omit<Toast, 'id'>) {
  const id = ++lastId
  const others = state.toasts.filter(({ about }) => !about || about !== toast.about)
  change({ toasts: [...others.slice(1 - MAX_TOASTS), { ...toast, id }] })
  dismissLater(id, toast.action || toast.tone === 'bad' ? SHOWN_WITH_ACTION_MS : SHOWN_MS)
}

/** Waits while a person points at a notice or has the keyboard in it. */
function dismissLater(id: number, waitMs: number) {
  const isUsed = () => document.querySelector('[aria-label=Notices]:is(:hover, :focus-within)')
  setTimeout(() => (isUsed() ? dismissLater(id, waitMs) : dismiss(id)), waitMs)
}

/** Reports a success; `undo` offers the way back. */
export function toast(
  message: string,
  { undo, action, about }: { undo?: () => void; action?: Toast['action']; about?: string } = {},
) {
  show({ message, tone: 'ok', action: undo ? { label: 'Undo', run: undo } : action, about })
}

/** Reports a failure with its request id. The end of the session is reported elsewhere. */
export function toastError(error: unknown) {
  if (error instanceof SessionOver) return
  const message = error instanceof Error ? error.message : 'That did not work.'
  const detail = error instanceof ApiError && error.status >= 500 ? (error.requestId ?? undefined) : undefined
  show({ message, tone: 'bad', detail })
}

const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The page and each dialog have one; only the one opened last shows notices. */
export function Toaster() {
  const regionId = useId()
  const region = useRef<HTMLElement>(null)
  const { toasts, regions } = useSyncExternalStore(listen, () => state)
  // After the dialog around it: later regions lie above.
  useEffect(() => {
    change({ regions: [...state.regions, regionId] })
    region.current?.showPopover()
    return () => change({ regions: state.regions.filter((other) => other !== regionId) })
  }, [regionId])
  return (
    <section
      ref={region}
      popover="manual"
      aria-label="Notices"
      data-screen=""
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 top-auto bottom-16 m-0 grid w-auto justify-items-center gap-2 overflow-visible border-0 bg-transparent p-0 text-ink md:left-auto md:right-4 md:bottom-4 md:justify-items-end"
    >
      {regions.at(-1) === regionId && toasts.map((toast) => <ToastCard key={toast.id} toast={toast} />)}
    </section>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const Icon = toast.tone === 'ok' ? CircleCheck : CircleAlert
  return (
    <div className="pointer-events-auto flex max-w-narrow animate-enter items-center gap-2 rounded-md bg-panel py-2 pr-1 pl-3 text-sm shadow-float">
      <Icon size={16} className={cx('shrink-0', toast.tone === 'ok' ? 'text-ok' : 'text-bad')} aria-hidden />
      <span className="py-1">
        {toast.message}
        {toast.detail && <span className="block font-mono text-xs text-faint">{toast.detail}</span>}
      </span>
      {toast.action && (
        <button
          type="button"
          className="rounded-sm px-2 py-1 font-medium text-accent hover:bg-hover"
          onClick={() => {
            toast.action?.run()
            dismiss(toast.id)
          }}
        >
          {toast.action.label}
        </button>
      )}
      <IconButton label="Dismiss" onClick={() => dismiss(toast.id)}>
        <X size={14} />
      </IconButton>
    </div>
  )
}
