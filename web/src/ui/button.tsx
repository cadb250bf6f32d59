import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from '../lib/cx.ts'

export type ButtonLook = 'primary' | 'plain' | 'ghost' | 'danger'

const looks: Record<ButtonLook, string> = {
  primary: 'bg-accent text-on-accent font-medium hover:bg-accent-strong',
  plain: 'border border-line-strong bg-panel text-ink hover:bg-hover',
  ghost: 'text-soft hover:bg-hover hover:text-ink',
  danger: 'border border-line-strong bg-panel text-bad hover:bg-bad-soft',
}

export const buttonClass = (look: ButtonLook = 'plain', size: 'sm' | 'md' = 'md') =>
  cx(
    'inline-flex shrink-0 select-none items-center justify-center gap-1.5 rounded-md text-sm whitespace-nowrap transition-colors disabled:opacity-50 aria-disabled:opacity-50 pointer-coarse:min-h-10',
    size === 'md' ? 'h-8 px-3' : 'h-7 px-2',
    looks[look],
  )

type ButtonProps = ComponentProps<'button'> & { look?: ButtonLook; size?: 'sm' | 'md'; busy?: boolean }

/** While busy it keeps its width and its words, and takes no second click. */
export function Button({ look, size, busy, className, disabled, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={cx(buttonClass(look, size), busy && 'animate-pulse', className)}
    >
      {children}
    </button>
  )
}

type LinkButtonProps = LinkProps & {
  look?: ButtonLook
  size?: 'sm' | 'md'
  className?: string
  children: ReactNode
}

export function LinkButton({ look, size, className, ...rest }: LinkButtonProps) {
  return <Link {...rest} className={cx(buttonClass(look, size), className)} />
}

type IconButtonProps = ComponentProps<'button'> & { label: string; look?: ButtonLook }

/** A square button with an icon; the label is its name and its tooltip. */
export function IconButton({ label, look = 'ghost', className, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={cx(buttonClass(look), 'w-8 px-0 pointer-coarse:min-w-10', className)}
    >
      {children}
    </button>
  )
}
