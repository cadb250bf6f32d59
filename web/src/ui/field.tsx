import { type ComponentProps, type InvalidEvent, type ReactNode, useId, useState } from 'react'
import { cx } from '../lib/cx.ts'

const CONTROL =
  'w-full min-w-0 rounded-md border border-line-strong bg-panel px-2.5 text-sm text-ink transition-colors hover:border-faint disabled:bg-sunken disabled:text-faint aria-invalid:border-bad pointer-coarse:text-touch'

/** The texts of this file, which is part of the first load. */
const strings = {
  fillIn: 'Fill this in.',
  notAnEmail: 'This is not an e-mail address.',
  atLeast: (characters: number) => `At least ${characters} characters.`,
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const isControl = (target: EventTarget): target is Control =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement

function problemOf(control: Control): string {
  const { validity, validationMessage } = control
  if (validity.valueMissing) return strings.fillIn
  if (validity.typeMismatch && control.type === 'email') return strings.notAnEmail
  if (validity.tooShort && 'minLength' in control) return strings.atLeast(control.minLength)
  return validationMessage
}

const INVALID = 'input:invalid, textarea:invalid, select:invalid'

/** Says what a form misses in the field itself, in place of the browser's own bubble. */
function useProblem() {
  const [problem, setProblem] = useState('')
  return {
    problem,
    wiring: {
      onInvalid: (event: InvalidEvent<HTMLElement>) => {
        const control = event.target
        if (!isControl(control)) return
        event.preventDefault()
        setProblem(problemOf(control))
        if (control.form?.querySelector(INVALID) === control) control.focus()
      },
      onInput: () => setProblem(''),
    },
  }
}

type FieldProps = {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  aside?: ReactNode
  hideLabel?: boolean
  className?: string
  children: (props: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean | undefined
  }) => ReactNode
}

export function Field({ label, hint, error: given, aside, hideLabel, className, children }: FieldProps) {
  const id = useId()
  const { problem, wiring } = useProblem()
  const error = problem || given
  const noteId = `${id}-note`
  return (
    <div className={cx('grid gap-1.5', className)} {...wiring}>
      <div className={hideLabel ? 'sr-only' : 'flex items-baseline justify-between gap-2'}>
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {aside && <span className="text-xs text-faint">{aside}</span>}
      </div>
      {children({
        id,
        'aria-describedby': error || hint ? noteId : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {(error || hint) && (
        <p id={noteId} className={cx('text-xs', error ? 'text-bad' : 'text-faint')}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

type Labelled = Pick<FieldProps, 'label' | 'hint' | 'error' | 'aside' | 'hideLabel'>

export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input dir="auto" {...rest} className={cx(CONTROL, 'h-8 pointer-coarse:h-10', className)} />
)

export const Textarea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <textarea
    dir="auto"
    rows={3}
    {...rest}
    className={cx(CONTROL, 'field-sizing-content max-h-text-height min-h-16 resize-y py-1.5', className)}
  />
)

/** The native select: good on phones and for screen readers. */
export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select
    {...rest}
    className={cx(CONTROL, 'h-8 min-w-20! max-w-full pr-7 text-ellipsis pointer-coarse:h-10', className)}
  />
)

function parts<P extends Labelled>({ label, hint, error, aside, hideLabel, ...control }: P) {
  return { field: { label, hint, error, aside, hideLabel }, control }
}

export function TextField({ className, ...props }: Labelled & ComponentProps<'input'>) {
  const { field, control } = parts(props)
  return (
    <Field {...field} className={className}>
      {(wiring) => <Input {...control} {...wiring} />}
    </Field>
  )
}

export function TextareaField(props: Labelled & ComponentProps<'textarea'>) {
  const { field, control } = parts(props)
  return <Field {...field}>{(wiring) => <Textarea {...control} {...wiring} />}</Field>
}

export function SelectField({ className, ...props }: Labelled & ComponentProps<'select'>) {
  const { field, control } = parts(props)
  return (
    <Field {...field} className={className}>
      {(wiring) => <Select {...control} {...wiring} />}
    </Field>
  )
}

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'> & {
  label: ReactNode
  hint?: ReactNode
  hideLabel?: boolean
}

export function Checkbox({ label, hint, hideLabel, className, ...rest }: CheckboxProps) {
  const id = useId()
  return (
    <div className={cx('flex items-start gap-2', className)}>
      <input
        id={id}
        type="checkbox"
        {...rest}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-sm'}>
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-xs text-faint">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

type SegmentedProps<T extends string> = {
  label: string
  value: T
  options: readonly { value: T; label: ReactNode }[]
  onChange: (value: T) => void
  className?: string
}

/** Radio buttons underneath, so arrow keys work. */
export function Segmented<T extends string>({
  label,
  value,
  options,
  onChange,
  className,
}: SegmentedProps<T>) {
  const name = useId()
  return (
    <fieldset className={cx('inline-flex rounded-md bg-sunken p-0.5 max-xs:flex-wrap', className)}>
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="flex h-7 items-center gap-1.5 rounded-sm px-2.5 text-sm whitespace-nowrap text-soft transition-colors hover:text-ink has-checked:bg-panel has-checked:font-medium has-checked:text-ink has-checked:shadow-line has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:h-9"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
