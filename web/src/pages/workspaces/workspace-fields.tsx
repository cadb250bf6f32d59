import type { Role, Workspace } from '../../api/types.ts'
import { SelectField } from '../../ui/field.tsx'
import * as strings from './strings.ts'

export const ROLES: { value: Role; label: string; can: string }[] = [
  { value: 'viewer', label: strings.viewer, can: strings.viewerMay },
  { value: 'editor', label: strings.editor, can: strings.editorMay },
  { value: 'admin', label: strings.admin, can: strings.adminMay },
]

export const roleName = (role: Role) => ROLES.find((one) => one.value === role)?.label ?? role

export const VISIBILITIES: { value: Workspace['visibility']; label: string; means: string }[] = [
  { value: 'private', label: strings.privateLabel, means: strings.privateHint },
  {
    value: 'unlisted',
    label: strings.unlisted,
    means: strings.unlistedHint,
  },
  {
    value: 'public',
    label: strings.publicLabel,
    means: strings.publicHint,
  },
]

export const visibilityName = (visibility: Workspace['visibility']) =>
  VISIBILITIES.find((one) => one.value === visibility)?.label ?? visibility

type Visibility = Workspace['visibility']
type Props = { value: Visibility; onChange: (visibility: Visibility) => void }

export const VisibilityField = ({ value, onChange }: Props) => (
  <SelectField
    label={strings.whoReadsCards}
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
