import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import type { Card } from '../../api/types.ts'
import { useKeptText } from '../../lib/storage.ts'
import { meQuery, useSignedIn } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { SelectField, TextareaField } from '../../ui/field.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Page } from '../../ui/page.tsx'
import { FormError, Notice, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { REPORT_KINDS, type ReportKind } from './matter-words.tsx'
import { reportableQuery } from './moderation-queries.ts'
import * as strings from './strings.ts'

const route = getRouteApi('/open/report/$cardId')

/** For readers of the public pages, without an account. */
export function ReportPage() {
  const { cardId } = route.useParams()
  const card = useQuery(reportableQuery(cardId))
  // The kept note depends on the person, who must be known before the form.
  const me = useQuery(meQuery)
  return (
    <main>
      <Page
        title={strings.reportACard}
        lead={WHO_READS}
        narrow
        back={
          <a href="/library" className="inline-flex items-center gap-2 rounded-sm font-semibold">
            <Logo />
            {strings.knowledgeVault}
          </a>
        }
      >
        {card.data && !me.isPending ? (
          <ReportForm cardId={cardId} title={card.data.title} />
        ) : (
          <NotLoaded query={card}>
            <SkeletonList rows={3} />
          </NotLoaded>
        )}
      </Page>
    </main>
  )
}

function ReportForm({ cardId, title }: { cardId: string; title: string }) {
  const [sent, setSent] = useState(false)
  const { send, ready, ...fields } = useReport(cardId, () => setSent(true))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready && !send.isPending) send.mutate()
  }
  return (
    <>
      <h2 className="mb-4 text-base font-semibold wrap-break-word">
        <a href={`/library/${cardId}`} className="rounded-sm hover:underline">
          {title}
        </a>
      </h2>
      {sent ? (
        <Sent />
      ) : (
        <form className="grid max-w-dialog gap-4" onSubmit={submit}>
          <ReportFields {...fields} />
          <FormError error={send.error} />
          <div>
            <Button type="submit" look="primary" busy={send.isPending} disabled={!ready}>
              {strings.report}
            </Button>
          </div>
        </form>
      )}
    </>
  )
}

function Sent() {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <div ref={box} tabIndex={-1} className="focus:outline-none">
      <Notice tone="ok">{strings.reportThanks}</Notice>
    </div>
  )
}

export function ReportDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const { send, ready, ...fields } = useReport(card.card_id, () => {
    toast(strings.reportThanks)
    onClose()
  })
  return (
    <FormDialog
      title={strings.reportThisCard}
      description={WHO_READS}
      action={strings.report}
      ready={ready}
      busy={send.isPending}
      error={send.error}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <ReportFields {...fields} />
    </FormDialog>
  )
}

const WHO_READS = strings.reportLead

function useReport(cardId: string, onSent: () => void) {
  const [kind, setKind] = useState<ReportKind | ''>('')
  const userId = useSignedIn()?.user_id
  const { text: note, change: setNote, dropSent } = useKeptText(userId && `kv-report:${userId}:${cardId}`, '')
  const send = useMutation({
    mutationFn: () =>
      call('POST /api/v1/cards/{card_id}/report', {
        card_id: cardId,
        kind: kind as ReportKind,
        note: note.trim() === '' ? null : note,
      }),
    onSuccess: () => [dropSent(note), onSent()],
  })
  return { kind, setKind, note, setNote, send, ready: kind !== '' }
}

type Props = Pick<ReturnType<typeof useReport>, 'kind' | 'setKind' | 'note' | 'setNote'>

const ReportFields = ({ kind, setKind, note, setNote }: Props) => (
  <>
    <SelectField
      label={strings.whatIsWrong}
      required
      value={kind}
      onChange={(event) => setKind(event.target.value as ReportKind)}
    >
      <option value="" disabled>
        {strings.choosePending}
      </option>
      {Object.entries(REPORT_KINDS).map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </SelectField>
    <TextareaField
      label={strings.reportNote}
      hint={strings.reportNoteHint}
      maxLength={2000}
      value={note}
      onChange={(event) => setNote(event.target.value)}
    />
  </>
)
