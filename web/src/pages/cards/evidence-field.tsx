import { Plus, Trash2 } from 'lucide-react'
import type { Evidence } from '../../api/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Input, Textarea } from '../../ui/field.tsx'
import { type DraftEvidence, rowId } from './draft.ts'
import { EvidenceList } from './evidence-list.tsx'
import { SecretWarning } from './secret-warning.tsx'

type Props = {
  stored: Evidence[]
  added: DraftEvidence[]
  onChange: (added: DraftEvidence[]) => void
  error?: string | undefined
}

/** Evidence is append-only: what is stored is shown, what is new can still be changed. */
export function EvidenceField({ stored, added, onChange, error }: Props) {
  const set = (id: string, next: Partial<DraftEvidence>) =>
    onChange(added.map((one) => (one.id === id ? { ...one, ...next } : one)))
  return (
    <fieldset>
      <legend className="mb-1.5 flex w-full items-baseline justify-between text-sm font-medium">
        Evidence{' '}
        <span className="text-xs font-normal text-faint">
          {stored.length ? 'can be added, not changed' : 'optional'}
        </span>
      </legend>
      <div className="grid gap-3">
        {stored.length > 0 && <EvidenceList evidences={stored} />}
        {added.map((one, index) => (
          <div key={one.id} className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
            <div className="grid gap-1.5">
              <Input
                aria-label={`Evidence ${index + 1}, kind`}
                placeholder="log"
                value={one.kind}
                onChange={(event) => set(one.id, { kind: event.target.value })}
              />
              <Textarea
                aria-label={`Evidence ${index + 1}, content`}
                className="font-mono text-xs!"
                placeholder="The log line, the output, the link"
                value={one.content}
                onChange={(event) => set(one.id, { content: event.target.value })}
              />
              <SecretWarning text={one.content} onReplace={(content) => set(one.id, { content })} />
            </div>
            <IconButton
              label={`Remove evidence ${index + 1}`}
              onClick={() => onChange(added.filter((other) => other.id !== one.id))}
            >
              <Trash2 size={14} />
            </IconButton>
          </div>
        ))}
      </div>
      <Button
        size="sm"
        className="mt-2"
        onClick={() => onChange([...added, { id: rowId(), kind: 'log', content: '' }])}
      >
        <Plus size={14} aria-hidden />
        Add evidence
      </Button>
      {error && <p className="mt-1 text-xs text-bad">{error}</p>}
    </fieldset>
  )
}
