import { useState } from 'react'
import { ApiError } from '../../../api/client.ts'
import type { Card } from '../../../api/types.ts'
import { useKeptText } from '../../../lib/use-kept-text.ts'
import { useMe } from '../../../session.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { Segmented, TextareaField } from '../../../ui/field.tsx'
import { draftOf, pairsAsRecord, repeatedProblem } from '../draft.ts'
import { PairsField } from '../pairs-field.tsx'
import { SecretWarning } from '../secret-warning.tsx'
import { OUTCOMES, type Outcome } from './outcomes.ts'
import { type Own, useVerify } from './use-verdicts.ts'

type Props = { card: Card; start: Outcome; own: Own; onClose: () => void }

/** What came of it, where, and what was seen. */
export function VerdictDialog({ card, start, own, onClose }: Props) {
  const [outcome, setOutcome] = useState(start)
  const [environment, setEnvironment] = useState(() => draftOf(card).environment)
  const keptAs = `kv-verdict:${useMe().user_id}:${card.card_id}`
  const { text: note, change: setNote, dropSent: dropNote } = useKeptText(keptAs, '')
  const { text: evidence, change: setEvidence, dropSent: dropEvidence } = useKeptText(`${keptAs}:output`, '')
  const verify = useVerify(card, own)
  const api = verify.error instanceof ApiError ? verify.error : null
  const send = () => {
    const said = {
      outcome,
      environment: pairsAsRecord(environment),
      note: note.trim() || null,
      evidence: evidence.trim() || null,
    }
    // What was sent is dropped also if the dialog was closed meanwhile.
    void verify.mutateAsync(said, { onSuccess: onClose }).then(
      () => [dropNote(note), dropEvidence(evidence)],
      () => undefined,
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title="What came of it?"
      description={`It counts for version ${card.version} of this card.`}
      action="Say so"
      ready={repeatedProblem(environment) === undefined}
      busy={verify.isPending}
      error={verify.error}
      onSubmit={send}
    >
      <Segmented
        label="What came of it"
        value={outcome}
        onChange={setOutcome}
        options={OUTCOMES.map(({ value, label }) => ({ value, label }))}
        className="justify-self-start"
      />
      <PairsField pairs={environment} onChange={setEnvironment} error={api?.field('environment')} />
      <div className="grid gap-1.5">
        <TextareaField
          label="Note"
          aside="optional"
          maxLength={2000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          hint="Read by everybody who reads the card. Your name is shown to its editors."
          error={api?.field('note')}
        />
        <SecretWarning text={note} onReplace={setNote} />
      </div>
      <div className="grid gap-1.5">
        <TextareaField
          label="Output"
          aside="optional"
          className="font-mono text-xs!"
          maxLength={20_000}
          value={evidence}
          onChange={(event) => setEvidence(event.target.value)}
          hint="What you saw. Read by you and the editors of the card."
          error={api?.field('evidence')}
        />
        <SecretWarning text={evidence} onReplace={setEvidence} />
      </div>
    </FormDialog>
  )
}
