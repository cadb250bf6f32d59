import type { Workspace } from '../../api/team.ts'
import { SelectField } from '../../ui/field.tsx'
import { VISIBILITIES } from './roles.ts'

type Visibility = Workspace['visibility']
type Props = { value: Visibility; onChange: (visibility: Visibility) => void }

export const VisibilityField = ({ value, onChange }: Props) => (
  <SelectField
    label="Who reads its shared cards"
    value={value}
    hint={VISIBILITIES.find((one) => one.value === value)?.means}
    onChange={(event) => onChange(event.target.value as Visibility)}
  >
    {VISIBILITIES.map((one) => (
      <option key={one.value} value={one.value}>
        {one.label}
      </option>
    ))}
  </SelectField>
)
