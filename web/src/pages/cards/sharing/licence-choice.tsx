import { useQuery } from '@tanstack/react-query'
import { LICENCE_TEXTS, LICENCES, type Licence, mustStay } from '#server/shared/licences.ts'
import { configQuery } from '../../../session.ts'
import { SelectField } from '../../../ui/field.tsx'
import { PartNotLoaded } from '../../../ui/states.tsx'
import type { Shareable } from './sharing.ts'

const HINTS: Record<Licence, string> = {
  'CC0-1.0': 'no conditions at all',
  'CC-BY-4.0': 'use it, name the author',
  'CC-BY-SA-4.0': 'name the author, share alike',
  MIT: 'for code: keep the notice',
}

/** The licence that a card has already: given with this version, or by whoever wrote what was pulled. */
function fixedLicence(cards: readonly Shareable[]): Licence | undefined {
  const [only] = cards.length === 1 ? cards : []
  if (only?.publication?.licence) return only.publication.licence
  return only?.origin && mustStay(only.origin.licence) ? only.origin.licence : undefined
}

type Props = { cards: readonly Shareable[]; value: Licence | undefined; onChange: (licence: Licence) => void }

/** Under which licence everybody may use what is published. It cannot be taken back for this version. */
export function LicenceChoice({ cards, value, onChange }: Props) {
  const query = useQuery(configQuery)
  const config = query.data
  const fixed = fixedLicence(cards)
  if (!config) return <PartNotLoaded what="The choice of a licence" query={query} />
  const chosen = fixed ?? value ?? config.library_licence
  return (
    <div className="grid gap-1">
      <SelectField
        label="Licence"
        value={chosen}
        disabled={fixed !== undefined}
        onChange={(event) => onChange(event.target.value as Licence)}
        hint={
          fixed
            ? 'It was published under this licence, which cannot change for this version.'
            : 'Everybody may use this version under this licence for ever. It cannot be taken back.'
        }
      >
        {LICENCES.map((licence) => (
          <option key={licence} value={licence}>
            {licence}: {HINTS[licence]}
          </option>
        ))}
      </SelectField>
      <a
        href={LICENCE_TEXTS[chosen]}
        target="_blank"
        rel="license noreferrer"
        className="text-xs text-soft underline hover:text-ink"
      >
        Read the licence
      </a>
    </div>
  )
}
