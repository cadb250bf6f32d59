import { ArrowDown, ArrowUp } from 'lucide-react'
import { flushSync } from 'react-dom'
import { IconButton } from '../../ui/button.tsx'
import { DangerWarning } from './danger-warning.tsx'
import type { DraftStep } from './draft.ts'
import { PasteTextarea } from './paste/paste-textarea.tsx'
import { RemoveRow, RowsField, rowsOf } from './rows-field.tsx'
import { SecretWarning } from './secret-warning.tsx'

type Props = { steps: DraftStep[]; onChange: (steps: DraftStep[]) => void; error?: string | undefined }

export function StepsField({ steps, onChange, error }: Props) {
  const { set, remove, add } = rowsOf(steps, onChange)
  const move = (from: number, to: number, button: HTMLButtonElement) => {
    const next = [...steps]
    const [step] = next.splice(from, 1)
    if (step) flushSync(() => onChange(next.toSpliced(to, 0, step)))
    // At the end of the list the button cannot be pressed again.
    const usable = button.ariaDisabled
      ? button.parentElement?.querySelector('button:not([aria-disabled])')
      : button
    if (usable instanceof HTMLElement) usable.focus()
  }
  return (
    <RowsField
      legend="Steps"
      addLabel="Add a step"
      onAdd={() => add({ action: '', result: '', kept: {} })}
      error={error}
    >
      <ol className="grid gap-3">
        {steps.map((step, index) => (
          <li key={step.id} className="grid grid-cols-[--spacing(5)_minmax(0,1fr)_auto] gap-2">
            <span
              aria-hidden
              className="mt-1.5 grid size-5 place-items-center rounded-full bg-sunken text-xs text-soft"
            >
              {index + 1}
            </span>
            <div className="grid gap-1.5">
              <PasteTextarea
                markdown
                maxLength={20_000}
                aria-label={`Step ${index + 1}, action`}
                rows={1}
                className="min-h-8!"
                placeholder="What to do"
                value={step.action}
                onChange={(action) => set(step.id, { action })}
              />
              <PasteTextarea
                maxLength={20_000}
                aria-label={`Step ${index + 1}, result`}
                rows={1}
                className="min-h-8!"
                placeholder="What you see then"
                value={step.result}
                onChange={(result) => set(step.id, { result })}
              />
              <SecretWarning text={step.action} onReplace={(action) => set(step.id, { action })} />
              <SecretWarning text={step.result} onReplace={(result) => set(step.id, { result })} />
              <DangerWarning text={`${step.action}\n\n${step.result}`} />
            </div>
            <div className="flex flex-col sm:flex-row">
              <IconButton
                label={`Move step ${index + 1} up`}
                disabled={index === 0}
                onClick={(event) => move(index, index - 1, event.currentTarget)}
              >
                <ArrowUp size={14} />
              </IconButton>
              <IconButton
                label={`Move step ${index + 1} down`}
                disabled={index === steps.length - 1}
                onClick={(event) => move(index, index + 1, event.currentTarget)}
              >
                <ArrowDown size={14} />
              </IconButton>
              <RemoveRow label={`Remove step ${index + 1}`} onRemove={() => remove(step.id)} />
            </div>
          </li>
        ))}
      </ol>
    </RowsField>
  )
}
