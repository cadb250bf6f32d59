import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { Button, IconButton } from './button.tsx'
import { TextField } from './field.tsx'

type DialogProps = {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  hideTitle?: boolean
  wide?: boolean
  children: ReactNode
  footer?: ReactNode
}

/**
 * A modal with a focus trap. The backdrop is our own element and not Radix' overlay: that one locks scrolling
 * through an injected style element, which the CSP forbids (the lock is in styles.css).
 */
export function Dialog({
  open,
  onClose,
  title,
  description,
  hideTitle,
  wide,
  children,
  footer,
}: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Radix.Portal>
        <div
          data-backdrop=""
          className="fixed inset-0 z-40 bg-[light-dark(rgb(20_24_38/0.32),rgb(0_0_0/0.6))]"
        />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cx(
            'fixed top-[12vh] left-1/2 z-50 flex max-h-[80vh] w-[calc(100vw-24px)] -translate-x-1/2 animate-enter flex-col overflow-hidden rounded-md bg-panel shadow-float focus:outline-none',
            wide ? 'max-w-[720px]' : 'max-w-[480px]',
          )}
        >
          <div className={hideTitle ? 'sr-only' : 'py-4 pr-14 pl-5 pb-0'}>
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            {description && (
              <Radix.Description className="mt-1 text-sm text-soft">{description}</Radix.Description>
            )}
          </div>
          <div className={cx('min-h-0 grow overflow-y-auto', !hideTitle && 'px-5 py-4')}>{children}</div>
          {footer && (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</div>
          )}
          {!hideTitle && (
            <Radix.Close asChild>
              <IconButton label="Close" className="absolute top-3 right-3">
                <X size={16} />
              </IconButton>
            </Radix.Close>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

type ConfirmProps = {
  open: boolean
  onClose: () => void
  onConfirm: () => void
  title: string
  children: ReactNode
  action: string
  busy?: boolean
  /** For what cannot be undone: the word that must be typed before the button works. */
  typed?: string
}

/** Says in numbers what will happen; the children are that sentence. */
export function ConfirmDialog({
  open,
  onClose,
  onConfirm,
  title,
  children,
  action,
  busy,
  typed,
}: ConfirmProps) {
  const [text, setText] = useState('')
  const ready = typed === undefined || text.trim() === typed
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={busy} disabled={!ready} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="grid gap-3 text-sm text-soft">
        {children}
        {typed !== undefined && (
          <TextField
            label={
              <>
                Type <span className="font-mono">{typed}</span> to confirm
              </>
            }
            value={text}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </div>
    </Dialog>
  )
}
