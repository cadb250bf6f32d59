import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import type { WholeMatter } from '../../api/types.ts'
import { formatAgo, formatDay, plural } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Checkbox, TextareaField } from '../../ui/field.tsx'
import { BackLink, Page, Section } from '../../ui/page.tsx'
import { Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { DECISIONS, type Decision, DRAFT_DECISIONS, kindWords, MatterBadges } from './matter-words.tsx'
import { matterQuery, moderationChanged } from './moderation-queries.ts'
import * as strings from './strings.ts'

const route = getRouteApi('/app/moderation/$matterId')

export function MatterPage() {
  const { matterId } = route.useParams()
  const { version } = route.useSearch()
  const matter = useQuery(matterQuery(matterId, version))
  const [deciding, setDeciding] = useState(false)
  const one = matter.data
  if (!one)
    return (
      <NotLoaded
        isPage
        query={matter}
        action={<LinkButton to="/moderation">{strings.allMatters}</LinkButton>}
      >
        <SkeletonPage />
      </NotLoaded>
    )
  return (
    <Page
      title={one.title ?? one.content?.title ?? strings.goneCard}
      narrow
      back={<BackLink to="/moderation">{strings.moderation}</BackLink>}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          {one.workspace_name} · {formatAgo(one.created_at)}
          <MatterBadges one={one} />
        </span>
      }
      actions={
        <Button look="primary" onClick={() => setDeciding(true)}>
          {one.status === 'decided' ? strings.decideAnewPending : strings.decidePending}
        </Button>
      }
    >
      <Standing one={one} />
      <Reports one={one} />
      <Publisher one={one} />
      <Findings one={one} />
      <Section title={strings.theCard} actions={<Versions one={one} />}>
        {one.content ? (
          <ModeratedText content={one.content} />
        ) : (
          <p className="text-sm text-soft">{strings.cardIsDeleted}</p>
        )}
      </Section>
      {deciding && <DecideDialog one={one} onClose={() => setDeciding(false)} />}
    </Page>
  )
}

function Standing({ one }: { one: WholeMatter }) {
  const lines: ReactNode[] = []
  if (one.hidden_by_reports) lines.push(strings.hiddenByReports)
  if (one.ask_note) lines.push(strings.ownerSays(one.ask_note))
  if (one.decision)
    lines.push(
      `${one.decided_by_name ?? strings.somebody} decided ${one.decided_at ? formatAgo(one.decided_at) : ''}: ${one.reason}`,
    )
  if (one.appeal_note) lines.push(strings.appealSays(one.appeal_note))
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
            ? strings.privateTeamReports
            : strings.weightOfReports(one.weight, one.threshold)
      }
    >
      <ul className="divide-y divide-line border-y border-line">
        {one.all_reports.map((report, index) => (
          <li key={index} className="py-2 text-sm">
            <p>
              {kindWords(report.kind)}
              <span className="text-xs text-faint">
                {strings.reportedAgo(formatAgo(report.created_at), report.card_version)}
                {report.is_anonymous && strings.withoutAnAccount}
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
  <Section title={strings.thePublisher}>
    <p className="text-sm">
      {publisher.display_name}
      {publisher.is_banned && (
        <>
          {' '}
          <Badge tone="bad">{strings.banned}</Badge>
        </>
      )}
    </p>
    <p className="text-sm text-soft">
      {strings.publisherFacts(
        formatDay(publisher.since),
        plural(publisher.published_cards, 'card'),
        publisher.kept,
        publisher.hidden_or_removed,
      )}
    </p>
  </Section>
)

function Findings({ one }: { one: WholeMatter }) {
  if (one.findings.length === 0) return null
  return (
    <Section title={strings.reviewFindings}>
      <ul className="grid gap-2 text-sm">
        {one.findings.map((finding, index) => (
          <li key={index} className="flex flex-wrap items-baseline gap-x-2">
            <Badge tone={finding.severity === 'block' ? 'bad' : 'warn'}>{finding.severity}</Badge>
            <span className="min-w-0 grow basis-52 wrap-break-word">
              {finding.message}{' '}
              <span className="text-xs text-faint">
                {strings.charactersBefore}
                {finding.start}
                {strings.charactersTo}
                {finding.end}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const Versions = ({ one }: { one: WholeMatter }) => (
  <nav aria-label={strings.versions} className="flex flex-wrap gap-2 text-sm">
    {one.versions.map(({ version }) => (
      <Link
        key={version}
        to="/moderation/$matterId"
        params={{ matterId: one.matter_id }}
        search={{ version }}
        aria-current={version === one.shown_version ? 'page' : undefined}
        className="rounded-sm text-soft underline-offset-2 hover:underline aria-[current]:font-medium aria-[current]:text-ink"
      >
        {strings.versionNumber(version)}
      </Link>
    ))}
  </nav>
)

/** Sends one decision. If another moderator decided meanwhile, the refusal says so. */
function DecideDialog({ one, onClose }: { one: WholeMatter; onClose: () => void }) {
  const name = useId()
  // The revision that was read: a later decision of another moderator must not be overruled unseen.
  const [revision, setRevision] = useState(one.revision)
  const [decision, setDecision] = useState<Decision | null>(null)
  const [bans, setBans] = useState(one.ban_publisher)
  const keptAs = `kv-reason:${useMe().user_id}:decision:${one.matter_id}`
  const { text: reason, change: setReason, dropSent } = useKeptText(keptAs, '')
  const send = useMutation({
    mutationFn: () =>
      call('POST /api/v1/moderation/matters/{matter_id}/decision', {
        matter_id: one.matter_id,
        revision,
        decision: decision ?? 'keep',
        reason,
        ban_publisher: bans && decision !== 'keep',
      }),
    onSuccess: () => {
      dropSent(reason)
      toast(strings.decidedNotice)
      onClose()
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'matter_changed')
        setRevision(Number(error.extra.revision))
    },
    onSettled: moderationChanged,
  })
  const choices = one.cause === 'blocked' ? DRAFT_DECISIONS : DECISIONS
  return (
    <FormDialog
      title={one.status === 'appealed' ? strings.decideAboutAppeal : strings.decideAboutCard}
      description={strings.decideLead}
      action={strings.decide}
      ready={decision !== null && reason.trim().length >= 3}
      busy={send.isPending}
      error={send.error}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">{strings.decision}</legend>
        {Object.entries(choices).map(([value, { label, hint }]) => (
          <label key={value} className="flex items-start gap-2 text-sm">
            <input
              type="radio"
              name={name}
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={decision === value}
              onChange={() => setDecision(value as Decision)}
            />
            <span>
              {label}
              <span className="block text-xs text-faint">{hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Checkbox
        label={strings.banPublisher}
        hint={strings.banPublisherHint}
        checked={bans && decision !== 'keep'}
        disabled={decision === 'keep'}
        onChange={(event) => setBans(event.target.checked)}
      />
      <TextareaField
        label={strings.reason}
        hint={strings.reasonHint}
        required
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  )
}

type Content = NonNullable<WholeMatter['content']>

const lines = (content: Content): [string, string][] =>
  [
    [strings.symptomOrGoal, content.symptom],
    [strings.fixOrSolution, content.fix_summary],
    [strings.rootCause, content.root_cause ?? ''],
    ...content.steps.map((step, i): [string, string] => [
      strings.stepNumber(i + 1),
      [step.action, step.result].filter(Boolean).join('\n→ '),
    ]),
    [strings.notes, content.body ?? ''],
    [strings.whereItHolds, content.scope_notes ?? ''],
    [
      strings.environment,
      Object.entries(content.environment)
        .map((pair) => pair.join(' '))
        .join('\n'),
    ],
    [strings.tags, content.tags.join(', ')],
    [strings.cites, content.cites.join('\n')],
    [strings.payload, content.card_payload ? JSON.stringify(content.card_payload, null, 2) : ''],
    ...content.evidences.map(({ kind, content: text }): [string, string] => [strings.evidenceOf(kind), text]),
  ].filter((line): line is [string, string] => line[1] !== '')

/** Raw text: no picture is loaded, and nothing is a link. */
const ModeratedText = ({ content }: { content: Content }) => (
  <dl className="grid gap-4">
    {lines(content).map(([name, text], index) => (
      <div key={index}>
        <dt className="text-xs text-faint">{name}</dt>
        <dd className="mt-1 rounded-md bg-sunken px-3 py-2 font-mono text-xs wrap-break-word whitespace-pre-wrap">
          {text}
        </dd>
      </div>
    ))}
  </dl>
)
