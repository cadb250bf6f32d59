import { useState } from 'react'
import type { Card } from '../../../api/types.ts'
import { plural } from '../../../lib/format.ts'
import { useKeptText } from '../../../lib/use-kept-text.ts'
import { useMe } from '../../../session.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { TextareaField } from '../../../ui/field.tsx'
import { CardPicker, type PickedCard } from './card-picker.tsx'
import { LinkFailure } from './link-failure.tsx'
import { useMerge } from './use-card-links.ts'

/** Says what will happen to both cards. */
export function MergeDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const [into, setInto] = useState<PickedCard | null>(null)
  const keptAs = `kv-reason:${useMe().user_id}:merge:${card.card_id}`
  const { text: why, change: setWhy, dropSent } = useKeptText(keptAs, '')
  const merge = useMerge(card)
  const send = () =>
    into &&
    merge.mutateAsync({ into_card_id: into.card_id, why: why.trim() || null }).then(
      () => dropSent(why),
      () => undefined,
    )
  const votes = card.feedback.useful + card.feedback.not_applicable + card.feedback.outdated
  return (
    <FormDialog
      onClose={onClose}
      title="Merge into another card"
      description="For two cards that say the same. The text of the other one stays as it is."
      action="Merge"
      ready={into !== null}
      busy={merge.isPending}
      onSubmit={send}
    >
      <CardPicker label="Into which card" except={card.card_id} picked={into} onPick={setInto} />
      <TextareaField
        label="Why"
        aside="optional"
        maxLength={2000}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
      />
      <ul aria-label="What happens" className="list-disc pl-4 text-sm text-soft">
        <li>
          Its verdicts, {plural(votes, 'vote')} and {plural(card.evidence_count, 'piece')} of evidence count
          on the other card.
        </li>
        <li>It leaves search. Its address opens the other card and says so.</li>
        <li>Credits stay as they are.</li>
        <li>It can be undone for 30 days, at its old address.</li>
      </ul>
      <LinkFailure error={merge.error} />
    </FormDialog>
  )
}
