import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { reportCard } from '../../api/moderation.ts'
import { useKeptText } from '../../lib/use-kept-text.ts'
import { useSignedIn } from '../../session.ts'
import { SelectField, TextareaField } from '../../ui/field.tsx'
import { REPORT_KINDS, type ReportKind } from './words.ts'

export const WHO_READS =
  'Moderators read what you write. Neither they nor the owner of the card are told who you are.'

/** The state and sending of a report, for the dialog on a card and the page for people without an account. */
export function useReport(cardId: string, onSent: () => void) {
  const [kind, setKind] = useState<ReportKind | ''>('')
  const userId = useSignedIn()?.user_id
  const { text: note, change: setNote, dropSent } = useKeptText(userId && `kv-report:${userId}:${cardId}`, '')
  const send = useMutation({
    mutationFn: () =>
      reportCard({ card_id: cardId, kind: kind as ReportKind, note: note.trim() === '' ? null : note }),
    onSuccess: () => [dropSent(note), onSent()],
  })
  return { kind, setKind, note, setNote, send, ready: kind !== '' }
}

type Props = Pick<ReturnType<typeof useReport>, 'kind' | 'setKind' | 'note' | 'setNote'>

export const ReportFields = ({ kind, setKind, note, setNote }: Props) => (
  <>
    <SelectField
      label="What is wrong with it?"
      required
      value={kind}
      onChange={(event) => setKind(event.target.value as ReportKind)}
    >
      <option value="" disabled>
        Choose …
      </option>
      {Object.entries(REPORT_KINDS).map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </SelectField>
    <TextareaField
      label="What should a moderator look at?"
      hint="Optional. Secrets that are recognised are replaced by placeholders."
      maxLength={2000}
      value={note}
      onChange={(event) => setNote(event.target.value)}
    />
  </>
)
