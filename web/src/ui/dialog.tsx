import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { cx } from '../lib/cx.ts'
import { neighbourGetsFocus } from '../lib/focus.ts'
import { Button, type ButtonLook, IconButton } from './button.tsx'
import { TextField } from './field.tsx'
import { FormError } from './states.tsx'
import { Toaster } from './toast.tsx'

type DialogProps = {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  hideTitle?: boolean
  wide?: boolean
  /** For content that is shown once: only its own button closes the dialog. */
  keepOpen?: boolean
  children: ReactNode
  footer?: ReactNode
}

/**
 * The browser's own modal. Escape or a click beside it closes it, also by mistake, so text in it must
 * outlive it (`useKeptText`).
 */
export function Dialog({ open, ...shown }: DialogProps) {
  return open ? createPortal(<OpenDialog {...shown} />, document.body) : null
}

function OpenDialog({
  onClose,
  title,
  description,
  hideTitle,
  wide,
  keepOpen,
  children,
  footer,
}: Omit<DialogProps, 'open'>) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const leave = () => {
    if (!keepOpen) onClose()
  }
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    // The browser may choose a box around the field that should have the focus.
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    // Close before removal, so that the focus returns to where it was.
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      data-backdrop=""
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      // A second Escape closes a dialog even if `cancel` is prevented, unless the key itself is prevented.
      onKeyDown={(event) => {
        if (keepOpen && event.key === 'Escape') event.preventDefault()
      }}
      // The Back gesture of a phone has no key.
      onClose={() => dialog.current?.open === false && onClose()}
      onPointerDown={(event) => {
        if (event.target === dialog.current && isOutside(event, dialog.current)) leave()
      }}
      className={cx(
        'fixed top-dialog-top right-auto bottom-auto left-1/2 z-50 max-h-dialog-height w-dialog-width -translate-x-1/2 animate-enter flex-col overflow-hidden rounded-md bg-panel text-ink shadow-float backdrop:bg-backdrop open:flex focus:outline-none',
        wide ? 'max-w-dialog-wide' : 'max-w-dialog',
      )}
    >
      <div className={hideTitle ? 'sr-only' : 'py-4 pr-14 pl-5 pb-0'}>
        <h2 id={`${id}-title`} className="text-base font-semibold">
          {title}
        </h2>
        {description && (
          <p id={`${id}-description`} className="mt-1 text-sm text-soft">
            {description}
          </p>
        )}
      </div>
      <div className={cx('min-h-0 grow overflow-y-auto', !hideTitle && 'px-5 py-4')}>{children}</div>
      {footer && (
        <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</div>
      )}
      {!hideTitle && !keepOpen && (
        <IconButton label="Close" className="absolute top-3 right-3" onClick={onClose}>
          <X size={16} />
        </IconButton>
      )}
      <Toaster />
    </dialog>
  )
}

const isOutside = ({ clientX, clientY }: { clientX: number; clientY: number }, element: HTMLElement) => {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  return clientX < left || clientX > right || clientY < top || clientY > bottom
}

type FormDialogProps = Pick<DialogProps, 'onClose' | 'title' | 'description' | 'wide' | 'children'> & {
  action: string
  look?: ButtonLook
  ready?: boolean
  busy?: boolean
  /** Shown under the fields; a form that explains its failures itself passes none. */
  error?: unknown
  onSubmit: () => void
  wayOut?: ReactNode
}

/** Fields and a button that sends them. The dialog stays open until the caller closes it. */
export function FormDialog({
  action,
  look = 'primary',
  ready = true,
  busy,
  error,
  onSubmit,
  wayOut,
  children,
  ...dialog
}: FormDialogProps) {
  const formId = useId()
  const form = useRef<HTMLFormElement>(null)
  // The error stands below the fields, which may be longer than the dialog.
  useEffect(() => {
    if (!busy) return
    return () => form.current?.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' })
  }, [busy])
  const [opener] = useState(() => document.activeElement)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog may be inside another form, such as the editor of a card, which would be sent with it.
    event.stopPropagation()
    // Enter submits a form even while its button is disabled.
    if (!ready || busy) return
    // The dialog gives the focus back to its opener, which may be about to go.
    if (opener) neighbourGetsFocus(opener)
    onSubmit()
  }
  return (
    <Dialog
      open
      {...dialog}
      footer={
        <>
          {wayOut ?? <Button onClick={dialog.onClose}>Cancel</Button>}
          <Button type="submit" form={formId} look={look} busy={busy} disabled={!ready}>
            {action}
          </Button>
        </>
      }
    >
      <form ref={form} id={formId} className="grid gap-4" onSubmit={submit}>
        {children}
        <FormError error={error} />
      </form>
    </Dialog>
  )
}

type ConfirmProps = Pick<FormDialogProps, 'onClose' | 'title' | 'children' | 'action' | 'busy'> & {
  mutation: { mutate: () => void; isPending: boolean }
  /** For irreversible actions: the word that must be typed before the button works. */
  typed?: string
}

export function ConfirmDialog({
  mutation,
  busy = mutation.isPending,
  children,
  typed,
  ...form
}: ConfirmProps) {
  const [text, setText] = useState('')
  const ready = typed === undefined || isTyped(typed, text)
  return (
    <FormDialog {...form} busy={busy} look="danger" ready={ready} onSubmit={() => mutation.mutate()}>
      <div className="grid gap-3 text-sm text-soft">{children}</div>
      {typed !== undefined && <TypedWord word={typed} value={text} onChange={setText} />}
    </FormDialog>
  )
}

type TypedWordProps = { word: string; value: string; onChange: (text: string) => void }

export const TypedWord = ({ word, value, onChange }: TypedWordProps) => (
  <TextField
    label={
      <>
        Type <span className="font-mono">{word}</span> to confirm
      </>
    }
    value={value}
    autoComplete="off"
    spellCheck={false}
    onChange={(event) => onChange(event.target.value)}
  />
)

const withSingleBlanks = (text: string) => text.trim().replace(/\s+/g, ' ')

/** Compares with blanks collapsed, since a page shows several blanks as one. */
export const isTyped = (word: string, text: string): boolean =>
  withSingleBlanks(text) === withSingleBlanks(word)
