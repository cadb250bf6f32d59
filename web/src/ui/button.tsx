import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { cx } from '../lib/cx.ts'

export type ButtonLook = 'primary' | 'plain' | 'ghost' | 'danger'

const LOOKS: Record<ButtonLook, string> = {
  primary: 'bg-accent text-on-accent font-medium hover:bg-accent-strong',
  plain: 'border border-line-strong bg-panel text-ink hover:bg-hover',
  ghost: 'text-soft hover:bg-hover hover:text-ink',
  danger: 'border border-line-strong bg-panel text-bad hover:bg-bad-soft',
}

type ButtonSize = 'sm' | 'md' | 'lg' | 'square'

const WRAPS = 'max-xs:h-auto max-xs:shrink max-xs:py-1.5 max-xs:whitespace-normal'

const SIZES: Record<ButtonSize, string> = {
  sm: `h-7 px-2.5 ${WRAPS}`,
  md: `h-8 px-3 ${WRAPS}`,
  lg: `h-10 px-4 ${WRAPS}`,
  square: 'size-8 pointer-coarse:min-w-10',
}

export const buttonClass = (look: ButtonLook = 'plain', size: ButtonSize = 'md') =>
  cx(
    'inline-flex shrink-0 select-none items-center justify-center gap-1.5 rounded-md text-sm whitespace-nowrap transition-colors disabled:opacity-50 aria-disabled:opacity-50 pointer-coarse:min-h-10',
    SIZES[size],
    LOOKS[look],
  )

type ButtonProps = ComponentProps<'button'> & { look?: ButtonLook; size?: ButtonSize; busy?: boolean }

const ignoreClick = (event: MouseEvent) => event.preventDefault()

/**
 * A busy or useless button ignores clicks and keeps the focus: a browser takes the focus from a disabled
 * button, and a person with a keyboard would be back at the top of the page.
 */
const ignoreClicksWhile = (isOff: boolean | undefined, onClick: ComponentProps<'button'>['onClick']) => ({
  onClick: isOff ? ignoreClick : onClick,
  'aria-disabled': isOff || undefined,
})

export function Button({ look, size, busy, disabled, className, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      {...ignoreClicksWhile(busy || disabled, onClick)}
      aria-busy={busy || undefined}
      className={cx(buttonClass(look, size), busy && 'animate-pulse', className)}
    >
      {children}
    </button>
  )
}

type LinkButtonProps = LinkProps & {
  look?: ButtonLook
  size?: ButtonSize
  className?: string
  onClick?: () => void
  children: ReactNode
}

export function LinkButton({ look, size, className, ...rest }: LinkButtonProps) {
  return <Link {...rest} className={cx(buttonClass(look, size), className)} />
}

type IconButtonProps = ComponentProps<'button'> & { label: string; look?: ButtonLook }

export function IconButton({
  label,
  look = 'ghost',
  disabled,
  className,
  onClick,
  children,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      {...ignoreClicksWhile(disabled, onClick)}
      className={cx(buttonClass(look, 'square'), className)}
    >
      {children}
    </button>
  )
}
