import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { WholeMatter } from '../../api/moderation.ts'
import { formatAgo, formatDay, plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { BackLink, Page, Section } from '../../ui/page.tsx'
import { Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { DecideDialog } from './decide-dialog.tsx'
import { MatterBadges } from './matter-badges.tsx'
import { ModeratedText } from './moderated-text.tsx'
import { matterQuery } from './moderation-queries.ts'
import { kindWords } from './words.ts'

const route = getRouteApi('/app/moderation/$matterId')

/** One matter: what was reported, what the card says, and who published it. */
export function MatterPage() {
  const { matterId } = route.useParams()
  const { version } = route.useSearch()
  const matter = useQuery(matterQuery(matterId, version))
  const [deciding, setDeciding] = useState(false)
  const one = matter.data
  if (!one)
    return (
      <NotLoaded isPage query={matter} action={<LinkButton to="/moderation">All matters</LinkButton>}>
        <SkeletonPage />
      </NotLoaded>
    )
  return (
    <Page
      title={one.title ?? one.content?.title ?? 'A card that is gone'}
      narrow
      back={<BackLink to="/moderation">Moderation</BackLink>}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          {one.workspace_name} · {formatAgo(one.created_at)}
          <MatterBadges one={one} />
        </span>
      }
      actions={
        <Button look="primary" onClick={() => setDeciding(true)}>
          {one.status === 'decided' ? 'Decide anew …' : 'Decide …'}
        </Button>
      }
    >
      <Standing one={one} />
      <Reports one={one} />
      <Publisher one={one} />
      <Findings one={one} />
      <Section title="The card" actions={<Versions one={one} />}>
        {one.content ? (
          <ModeratedText content={one.content} />
        ) : (
          <p className="text-sm text-soft">The card is deleted.</p>
        )}
      </Section>
      {deciding && <DecideDialog one={one} onClose={() => setDeciding(false)} />}
    </Page>
  )
}

function Standing({ one }: { one: WholeMatter }) {
  const lines: ReactNode[] = []
  if (one.hidden_by_reports) lines.push('Reports have hidden it until a moderator decides.')
  if (one.ask_note) lines.push(`The owner says: ${one.ask_note}`)
  if (one.decision)
    lines.push(
      `${one.decided_by_name ?? 'Somebody'} decided ${one.decided_at ? formatAgo(one.decided_at) : ''}: ${one.reason}`,
    )
  if (one.appeal_note) lines.push(`The appeal says: ${one.appeal_note}`)
  if (lines.length === 0) return null
  return (
    <div className="mb-6">
      <Notice>
        <ul className="grid gap-1 wrap-break-word">
          {lines.map((line, index) => (
            <li key={index}>{line}</li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}

function Reports({ one }: { one: WholeMatter }) {
  const { data: workspaces } = useQuery(workspacesQuery)
  if (one.reports === 0) return null
  const team = workspaces?.items.find(({ workspace_id }) => workspace_id === one.workspace_id)
  return (
    <Section
      title={plural(one.reports, 'report')}
      lead={
        !workspaces
          ? ''
          : team?.visibility === 'private'
            ? 'In a private team reports hide nothing by themselves. You decide.'
            : `Together they weigh ${one.weight}. Reports hide the card when they weigh ${one.threshold} and come from three people who are not connected with each other.`
      }
    >
      <ul className="divide-y divide-line border-y border-line">
        {one.all_reports.map((report, index) => (
          <li key={index} className="py-2 text-sm">
            <p>
              {kindWords(report.kind)}
              <span className="text-xs text-faint">
                {' '}
                · {formatAgo(report.created_at)} · version {report.card_version}
                {report.is_anonymous && ' · without an account'}
              </span>
            </p>
            {report.note && <p className="wrap-break-word whitespace-pre-wrap text-soft">{report.note}</p>}
          </li>
        ))}
      </ul>
    </Section>
  )
}

const Publisher = ({ one: { publisher } }: { one: WholeMatter }) => (
  <Section title="The publisher">
    <p className="text-sm">
      {publisher.display_name}
      {publisher.is_banned && (
        <>
          {' '}
          <Badge tone="bad">Banned</Badge>
        </>
      )}
    </p>
    <p className="text-sm text-soft">
      Here since {formatDay(publisher.since)}. {plural(publisher.published_cards, 'card')} in the open.
      Decided before: {publisher.kept} kept, {publisher.hidden_or_removed} hidden or removed.
    </p>
  </Section>
)

function Findings({ one }: { one: WholeMatter }) {
  if (one.findings.length === 0) return null
  return (
    <Section title="What the review finds">
      <ul className="grid gap-2 text-sm">
        {one.findings.map((finding, index) => (
          <li key={index} className="flex flex-wrap items-baseline gap-x-2">
            <Badge tone={finding.severity === 'block' ? 'bad' : 'warn'}>{finding.severity}</Badge>
            <span className="min-w-0 grow basis-52 wrap-break-word">
              {finding.message}{' '}
              <span className="text-xs text-faint">
                characters {finding.start} to {finding.end}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const Versions = ({ one }: { one: WholeMatter }) => (
  <nav aria-label="Versions" className="flex flex-wrap gap-2 text-sm">
    {one.versions.map(({ version }) => (
      <Link
        key={version}
        to="/moderation/$matterId"
        params={{ matterId: one.matter_id }}
        search={{ version }}
        aria-current={version === one.shown_version ? 'page' : undefined}
        className="rounded-sm text-soft underline-offset-2 hover:underline aria-[current]:font-medium aria-[current]:text-ink"
      >
        Version {version}
      </Link>
    ))}
  </nav>
)
