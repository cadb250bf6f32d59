import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CardProposal, proposeCard } from '../../api/memory.ts'
import { plural } from '../../lib/format.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { draftOfProposal } from './draft.ts'
import { CardEditor } from './new-card.tsx'

/** The editor for a card that is made from an exchange in memory. */
export function CardFromMemory({ from, also }: { from: string; also: string | undefined }) {
  const proposal = useQuery({
    queryKey: ['memory', 'proposal', from, also ?? ''],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      proposeCard({ raw_id: from, also_raw_ids: also?.split(',').filter(Boolean) ?? [] }, { signal }),
  })
  if (!proposal.data)
    return (
      <NotLoaded
        isPage
        query={proposal}
        action={<LinkButton to="/cards/new">Write an empty card</LinkButton>}
      >
        <SkeletonPage />
      </NotLoaded>
    )
  return (
    <CardEditor
      draftId={from}
      source={{
        rawId: from,
        start: draftOfProposal(proposal.data),
        notice: <FilledIn proposal={proposal.data} from={from} />,
      }}
    />
  )
}

function FilledIn({ proposal, from }: { proposal: CardProposal; from: string }) {
  const secrets = proposal.redactions.reduce((sum, { count }) => sum + count, 0)
  return (
    <Notice>
      Filled in from{' '}
      <Link to="/memory/events/$rawId" params={{ rawId: from }} className="underline">
        an exchange in your memory
      </Link>
      {proposal.method === 'model' && ' by the language model of this server'}. Read it before you save; the
      card keeps a link that only you can follow.
      {secrets > 0 && ` ${plural(secrets, 'secret')} replaced.`}
    </Notice>
  )
}
