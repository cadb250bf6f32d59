import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { ApiError } from '../api/client.ts'
import { cx } from '../lib/cx.ts'
import { IconButton } from './button.tsx'

type Toast = {
  id: number
  message: string
  tone: 'ok' | 'bad'
  action?: { label: string; run: () => void } | undefined
  detail?: string | undefined
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id))

/** Says that something is done; `undo` offers the way back for as long as it shows. */
export function toast(message: string, options: { undo?: () => void; action?: Toast['action'] } = {}) {
  const action = options.undo ? { label: 'Undo', run: options.undo } : options.action
  change([...toasts.slice(-2), { id: ++lastId, message, tone: 'ok', action }])
}

/** Says that something failed, with the request id where there is one. */
export function toastError(error: unknown) {
  const message = error instanceof Error ? error.message : 'That did not work.'
  const detail = error instanceof ApiError && error.status >= 500 ? (error.requestId ?? undefined) : undefined
  change([...toasts.slice(-2), { id: ++lastId, message, tone: 'bad', detail }])
}

export function Toaster() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
  return (
    <section
      aria-label="Notices"
      data-screen=""
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-16 z-60 grid justify-items-center gap-2 md:inset-x-auto md:right-4 md:bottom-4 md:justify-items-end"
    >
      {current.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(toast.id), toast.action || toast.tone === 'bad' ? 8000 : 4000)
    return () => clearTimeout(timer)
  }, [toast])
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
