import { useState } from 'react'
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
  const [preview, setPreview] = useState(false)
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
        {(wiring) =>
          preview ? (
            <div id={wiring.id} className="min-h-16 rounded-md border border-line bg-panel px-3 py-2">
              <LazyMarkdown images="own">{value}</LazyMarkdown>
            </div>
          ) : (
            <PasteTextarea
              {...wiring}
              markdown
              required={required}
              maxLength={200_000}
              value={value}
              onChange={onChange}
            />
          )
        }
      </Field>
      <SecretWarning text={value} onReplace={onChange} />
      <DangerWarning text={value} />
    </div>
  )
}
