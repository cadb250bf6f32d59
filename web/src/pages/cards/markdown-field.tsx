import { useState } from 'react'
import { flushSync } from 'react-dom'
import { cx } from '../../lib/cx.ts'
import { Field } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { DangerWarning } from './danger-warning.tsx'
import { PasteTextarea } from './paste/paste-textarea.tsx'
import { SecretWarning } from './secret-warning.tsx'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  error?: string | undefined
  required?: boolean
  optional?: boolean
}

/** Text with Markdown: write it, or see what readers will see. */
export function MarkdownField({ label, value, onChange, hint, error, required, optional }: Props) {
  const [wanted, setPreview] = useState(false)
  // An empty text has nothing to show, nor the button that leads back to writing.
  const preview = wanted && value.trim() !== ''
  return (
    <div className="grid gap-1.5">
      <Field
        label={label}
        hint={hint}
        error={error}
        aside={
          <span className="flex items-center gap-2">
            {optional && 'optional'}
            {value.trim() && (
              <button
                type="button"
                aria-pressed={preview}
                aria-label={`${preview ? 'Write' : 'Preview'} ${label.toLowerCase()}`}
                className={cx('rounded-sm px-1 hover:text-ink', preview && 'font-medium text-accent')}
                onClick={() => setPreview(!preview)}
              >
                {preview ? 'Write' : 'Preview'}
              </button>
            )}
          </span>
        }
      >
        {(wiring) => (
          // A text box that keeps the form from being saved is shown, so that the browser can say why.
          <div onInvalid={() => flushSync(() => setPreview(false))}>
            {preview && (
              <div className="min-h-16 rounded-md border border-line bg-panel px-3 py-2">
                <LazyMarkdown images="own">{value}</LazyMarkdown>
              </div>
            )}
            <PasteTextarea
              {...wiring}
              // It stays in the page: a picture that is on its way goes into it.
              hidden={preview}
              markdown
              required={required}
              maxLength={200_000}
              value={value}
              onChange={onChange}
            />
          </div>
        )}
      </Field>
      <SecretWarning text={value} onReplace={onChange} />
      <DangerWarning text={value} />
    </div>
  )
}
