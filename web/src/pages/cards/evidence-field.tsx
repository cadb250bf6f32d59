import type { Evidence } from '../../api/types.ts'
import { Input } from '../../ui/field.tsx'
import { DangerWarning } from './danger-warning.tsx'
import type { DraftEvidence } from './draft.ts'
import { EvidenceList } from './evidence-list.tsx'
import { PasteTextarea } from './paste/paste-textarea.tsx'
import { RemoveRow, RowsField, rowsOf } from './rows-field.tsx'
import { SecretWarning } from './secret-warning.tsx'

type Props = {
  stored: Evidence[]
  added: DraftEvidence[]
  onChange: (added: DraftEvidence[]) => void
  error?: string | undefined
}

/** Evidence is append-only: what is stored is shown, what is new can still be changed. */
export function EvidenceField({ stored, added, onChange, error }: Props) {
  const { set, remove, add } = rowsOf(added, onChange)
  return (
    <RowsField
      legend="Evidence"
      note={stored.length ? 'can be added, not changed' : 'optional'}
      addLabel="Add evidence"
      onAdd={() => add({ kind: 'log', content: '' })}
      error={error}
    >
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
              <PasteTextarea
                maxLength={200_000}
                aria-label={`Evidence ${index + 1}, content`}
                className="font-mono text-xs!"
                placeholder="The log line, the output, the link"
                value={one.content}
                onChange={(content) => set(one.id, { content })}
              />
              <SecretWarning text={one.content} onReplace={(content) => set(one.id, { content })} />
              <DangerWarning text={one.content} />
            </div>
            <RemoveRow label={`Remove evidence ${index + 1}`} onRemove={() => remove(one.id)} />
          </div>
        ))}
      </div>
    </RowsField>
  )
}
