import { Input } from '../../ui/field.tsx'
import { type DraftPair, repeatedProblem } from './draft.ts'
import { RemoveRow, RowsField, rowsOf } from './rows-field.tsx'

type Props = { pairs: DraftPair[]; onChange: (pairs: DraftPair[]) => void; error?: string | undefined }

/** The environment: names and versions, two columns. */
export function PairsField({ pairs, onChange, error }: Props) {
  const { set, remove, add } = rowsOf(pairs, onChange)
  const problem = repeatedProblem(pairs)
  return (
    <RowsField
      legend="Environment"
      addLabel="Add a line"
      onAdd={() => add({ name: '', value: '' })}
      error={problem ?? error}
    >
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
            <RemoveRow label={`Remove environment ${index + 1}`} onRemove={() => remove(pair.id)} />
          </div>
        ))}
      </div>
    </RowsField>
  )
}
