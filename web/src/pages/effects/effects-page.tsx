import { queryOptions, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { call } from '../../api/client.ts'
import type { Effects } from '../../api/types.ts'
import { formatNumber } from '../../lib/format.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { NotLoaded, SkeletonList } from '../../ui/states.tsx'

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
    label: 'Delivered',
    of: 'times that recall was asked',
    method: 'Agents ask at a failing command and at a prompt. Recall says something only where it is sure.',
  },
  {
    name: 'opened',
    label: 'Opened',
    of: 'delivered cards',
    method: 'The card was read within a day after it was delivered.',
  },
  {
    name: 'judged',
    label: 'Judged afterwards',
    of: 'delivered cards',
    method: 'The same person gave a verdict on the card after it was delivered.',
  },
  {
    name: 'worked',
    label: 'Worked',
    of: 'judged cards',
    method: 'One of these verdicts was “worked”.',
  },
  {
    name: 'avoided',
    label: 'Failures avoided',
    of: 'errors seen again after a delivery',
    method:
      'The same error was overcome before without a card, and now with one, in fewer failing attempts of the same command. Two errors are the same if their telling lines are.',
  },
  {
    name: 'characters',
    label: 'Characters spent',
    of: 'deliveries',
    method: 'The text that agents received. About four characters are one token.',
  },
]

export function EffectsPage() {
  const { workspace } = route.useSearch()
  const effects = useQuery(effectsQuery(workspace))
  return (
    <Page
      title={workspace ? 'What it did for the team' : 'What it did for you'}
      lead={
        workspace
          ? 'The last 30 days: sums over the members, about the cards of this workspace alone. Nothing here tells who.'
          : 'The last 30 days. Only you see these figures.'
      }
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
          Rows as {format.toUpperCase()}
        </a>
      ))}
    </>
  )
}

function Figures({ effects }: { effects: Effects }) {
  return (
    <>
      {effects.people > 1 && <p className="mb-4 text-sm text-soft">Summed over {effects.people} members.</p>}
      <Section title="Figures">
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
