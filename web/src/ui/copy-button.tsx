import { Check, Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, type ButtonLook, IconButton } from './button.tsx'
import { toastError } from './toast.tsx'

/** The clipboard API exists only on https and localhost; elsewhere the old command copies. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  // An open dialog makes everything outside inert, and inert text cannot be selected.
  const container = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  container.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (!copied) throw new Error('The browser did not allow copying. Select the text and copy it by hand.')
}

type CopyButtonProps = {
  text: string | (() => string)
  label?: string
  children?: ReactNode
  look?: ButtonLook
  size?: 'sm' | 'md'
}

export function CopyButton({ text, label = 'Copy', children, look = 'plain', size = 'md' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  const copy = () =>
    copyText(typeof text === 'string' ? text : text()).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), 1600)
    }, toastError)
  const icon = copied ? <Check size={14} className="text-ok" aria-hidden /> : <Copy size={14} aria-hidden />
  if (!children)
    return (
      <IconButton label={copied ? 'Copied' : label} look={look === 'plain' ? 'ghost' : look} onClick={copy}>
        {icon}
      </IconButton>
    )
  return (
    <Button look={look} size={size} onClick={copy}>
      {icon}
      <span aria-live="polite">{copied ? 'Copied' : children}</span>
    </Button>
  )
}

export function CopyBlock({ text, label, lines = false }: { text: string; label: string; lines?: boolean }) {
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
      {lines ? (
        <pre tabIndex={0} className="grow overflow-x-auto py-1.5 font-mono text-xs leading-5">
          {text}
        </pre>
      ) : (
        <code className="min-w-0 grow self-center py-1 font-mono text-xs wrap-anywhere">{text}</code>
      )}
      <CopyButton text={text} label={`Copy ${label}`} />
    </div>
  )
}
