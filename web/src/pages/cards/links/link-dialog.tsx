import { useState } from 'react'
import type { Card, CardLink } from '../../../api/types.ts'
import { useKeptText } from '../../../lib/use-kept-text.ts'
import { useMe } from '../../../session.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { SelectField, TextareaField } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/states.tsx'
import { CardPicker, type PickedCard } from './card-picker.tsx'
import { LinkFailure } from './link-failure.tsx'
import { type NewLink, useLinking } from './use-card-links.ts'

/** Superseding can be chosen from either card: people are mostly on the page of the old one. */
type Way = CardLink['kind'] | 'superseded_by'

const WAYS: { way: Way; label: string; effect?: string }[] = [
  { way: 'related', label: 'is related to' },
  {
    way: 'supersedes',
    label: 'replaces',
    effect: 'The other card leaves search. Its address still works, and points to this one.',
  },
  {
    way: 'superseded_by',
    label: 'is replaced by',
    effect: 'This card leaves search. Its address still works, and points to the other one.',
  },
  { way: 'duplicates', label: 'says the same as' },
  { way: 'contradicts', label: 'contradicts' },
]

const linkBetween = (cardId: string, otherId: string, way: Way): Omit<NewLink, 'why'> =>
  way === 'superseded_by'
    ? { fromId: otherId, toId: cardId, kind: 'supersedes' }
    : { fromId: cardId, toId: otherId, kind: way }

export function LinkDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const [way, setWay] = useState<Way>('related')
  const [other, setOther] = useState<PickedCard | null>(null)
  const keptAs = `kv-reason:${useMe().user_id}:link:${card.card_id}`
  const { text: why, change: setWhy, dropSent } = useKeptText(keptAs, '')
  const { add } = useLinking(card.card_id)
  const chosen = WAYS.find((one) => one.way === way)
  const send = () => {
    if (!other) return
    const link = { ...linkBetween(card.card_id, other.card_id, way), why: why.trim() || null }
    // What was sent is dropped also if the dialog was closed meanwhile.
    void add.mutateAsync(link, { onSuccess: onClose }).then(
      () => dropSent(why),
      () => undefined,
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Link to another card"
      action="Link"
      ready={other !== null}
      busy={add.isPending}
      onSubmit={send}
    >
      <SelectField label="This card" value={way} onChange={(event) => setWay(event.target.value as Way)}>
        {WAYS.map((one) => (
          <option key={one.way} value={one.way}>
            {one.label}
          </option>
        ))}
      </SelectField>
      <CardPicker label="The other card" except={card.card_id} picked={other} onPick={setOther} />
      <TextareaField
        label="Why"
        aside="optional"
        maxLength={2000}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
        hint="Read by everybody who reads both cards."
      />
      {chosen?.effect && <Notice>{chosen.effect}</Notice>}
      <LinkFailure error={add.error} />
    </FormDialog>
  )
}
