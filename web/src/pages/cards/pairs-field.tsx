import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { type DraftPair, rowId } from './draft.ts'

type Props = { pairs: DraftPair[]; onChange: (pairs: DraftPair[]) => void; error?: string | undefined }

/** The environment: names and versions, two columns. */
export function PairsField({ pairs, onChange, error }: Props) {
  const set = (id: string, next: Partial<DraftPair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...next } : pair)))
  return (
    <fieldset>
      <legend className="mb-1.5 flex w-full items-baseline justify-between text-sm font-medium">
        Environment <span className="text-xs font-normal text-faint">optional</span>
      </legend>
      <div className="grid gap-1.5">
        {pairs.map((pair, index) => (
          <div key={pair.id} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2">
            <Input
              aria-label={`Environment ${index + 1}, name`}
              placeholder="node"
              value={pair.name}
              onChange={(event) => set(pair.id, { name: event.target.value })}
            />
            <Input
              aria-label={`Environment ${index + 1}, value`}
              placeholder="20.11"
              value={pair.value}
              onChange={(event) => set(pair.id, { value: event.target.value })}
            />
            <IconButton
              label={`Remove environment ${index + 1}`}
              onClick={() => onChange(pairs.filter((other) => other.id !== pair.id))}
            >
              <Trash2 size={14} />
            </IconButton>
          </div>
        ))}
      </div>
      <Button
        size="sm"
        className="mt-2"
        onClick={() => onChange([...pairs, { id: rowId(), name: '', value: '' }])}
      >
        <Plus size={14} aria-hidden />
        Add a line
      </Button>
      {error && <p className="mt-1 text-xs text-bad">{error}</p>}
    </fieldset>
  )
}
