import { Segmented } from '../../ui/field.tsx'
import type { ListState } from './list-state.ts'

/** Fixes are what went wrong; know-how is everything else. */
export function TrackFilter({
  value,
  onChange,
}: {
  value: ListState['track']
  onChange: (value: ListState['track']) => void
}) {
  return (
    <Segmented
      label="Track"
      value={value ?? 'all'}
      onChange={(next) => onChange(next === 'all' ? undefined : next)}
      options={[
        { value: 'all', label: 'All' },
        { value: 'debug', label: 'Fixes' },
        { value: 'build', label: 'Know-how' },
      ]}
    />
  )
}
