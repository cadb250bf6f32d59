import { queryOptions, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { call } from '../../api/client.ts'
import type { Effects } from '../../api/types.ts'
import { formatNumber } from '../../lib/format.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { NotLoaded, SkeletonList } from '../../ui/states.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/app/effects')

const effectsQuery = (workspaceId: string | undefined) =>
  queryOptions({
    queryKey: ['effects', workspaceId ?? 'mine'],
    queryFn: ({ signal }) => call('GET /api/v1/effects', { workspace_id: workspaceId }, { signal }),
  })

type Share = 'answered' | 'opened' | 'judged' | 'worked' | 'avoided' | 'characters'
type Figure = { name: Share; label: string; of: string; method: string }

const FIGURES: readonly Figure[] = [
  {
    name: 'answered',
    label: strings.delivered,
    of: strings.deliveredUnit,
    method: strings.deliveredHint,
  },
  {
    name: 'opened',
    label: strings.opened,
    of: strings.deliveredCards,
    method: strings.openedHint,
  },
  {
    name: 'judged',
    label: strings.judgedAfterwards,
    of: strings.deliveredCards,
    method: strings.judgedHint,
  },
  {
    name: 'worked',
    label: strings.worked,
    of: strings.judgedCards,
    method: strings.workedHint,
  },
  {
    name: 'avoided',
    label: strings.failuresAvoided,
    of: strings.failuresUnit,
    method: strings.failuresHint,
  },
  {
    name: 'characters',
    label: strings.charactersSpent,
    of: 'deliveries',
    method: strings.charactersHint,
  },
]

export function EffectsPage() {
  const { workspace } = route.useSearch()
  const effects = useQuery(effectsQuery(workspace))
  return (
    <Page
      title={workspace ? strings.effectsForTeam : strings.effectsForYou}
      lead={workspace ? strings.teamLead : strings.ownLead}
      narrow
      actions={!workspace && <Downloads />}
    >
      {effects.data ? (
        <Figures effects={effects.data} />
      ) : (
        <NotLoaded query={effects}>
          <SkeletonList rows={6} />
        </NotLoaded>
      )}
    </Page>
  )
}

function Downloads() {
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <a
          key={format}
          className={buttonClass()}
          href={`/api/v1/effects/rows?format=${format}`}
          download={`knowledge-vault-effects.${format}`}
        >
          {strings.rowsAs(format.toUpperCase())}
        </a>
      ))}
    </>
  )
}

function Figures({ effects }: { effects: Effects }) {
  return (
    <>
      {effects.people > 1 && <p className="mb-4 text-sm text-soft">{strings.summedOver(effects.people)}</p>}
      <Section title={strings.figures}>
        <dl className="divide-y divide-line border-y border-line">
          {FIGURES.map(({ name, label, of, method }) => (
            <div key={name} className="grid gap-x-6 gap-y-1 py-4 sm:grid-cols-2">
              <dt>
                <span className="text-sm font-medium">{label}</span>
                <span className="mt-0.5 block text-xs text-soft">{method}</span>
              </dt>
              <dd className="text-sm sm:text-right">
                <span className="text-lg font-semibold">{formatNumber(effects[name].count)}</span>{' '}
                {name === 'answered' && effects.workspace_id !== null
                  ? 'times'
                  : `${name === 'characters' ? 'in' : 'of'} ${formatNumber(effects[name].of)} ${of}`}
              </dd>
            </div>
          ))}
        </dl>
      </Section>
    </>
  )
}
