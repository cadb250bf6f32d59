import type { Role, Workspace } from '../../api/types.ts'
import { SelectField } from '../../ui/field.tsx'

export const ROLES: { value: Role; label: string; can: string }[] = [
  { value: 'viewer', label: 'Viewer', can: 'reads and finds shared cards' },
  { value: 'editor', label: 'Editor', can: 'also records cards here and edits those of others' },
  { value: 'admin', label: 'Admin', can: 'also invites, removes, and changes the policy' },
]

export const roleName = (role: Role) => ROLES.find((one) => one.value === role)?.label ?? role

export const VISIBILITIES: { value: Workspace['visibility']; label: string; means: string }[] = [
  { value: 'private', label: 'Private', means: 'Only members read its shared cards.' },
  {
    value: 'unlisted',
    label: 'Unlisted',
    means: 'Anybody signed in who has the link of a shared card reads it. It is in no search.',
  },
  {
    value: 'public',
    label: 'Public',
    means:
      'Anybody signed in finds and reads its shared cards. If this server has public pages, everybody does.',
  },
]

export const visibilityName = (visibility: Workspace['visibility']) =>
  VISIBILITIES.find((one) => one.value === visibility)?.label ?? visibility

export const TYPE_NAMES: Record<Workspace['type'], string> = {
  personal: 'Personal',
  team: 'Team',
  org: 'Organisation',
}

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
