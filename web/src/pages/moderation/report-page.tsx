import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Logo } from '../../frame/logo.tsx'
import { meQuery } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { FormError, Notice, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { reportableQuery } from './moderation-queries.ts'
import { ReportFields, useReport, WHO_READS } from './report-fields.tsx'

const route = getRouteApi('/open/report/$cardId')

/** For readers of the public pages, who need no account to report a card. */
export function ReportPage() {
  const { cardId } = route.useParams()
  const card = useQuery(reportableQuery(cardId))
  // Whose note the browser keeps has to be known before the form.
  const me = useQuery(meQuery)
  return (
    <main>
      <Page
        title="Report a card"
        lead={WHO_READS}
        narrow
        back={
          <a href="/library" className="inline-flex items-center gap-2 rounded-sm font-semibold">
            <Logo />
            Knowledge Vault
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
              Report
            </Button>
          </div>
        </form>
      )}
    </>
  )
}

function Sent() {
  const box = useRef<HTMLDivElement>(null)
  // The button that had the focus is gone with the form.
  useEffect(() => box.current?.focus(), [])
  return (
    <div ref={box} tabIndex={-1} className="focus:outline-none">
      <Notice tone="ok">Thank you. A moderator will look at it.</Notice>
    </div>
  )
}
