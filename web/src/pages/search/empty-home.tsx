import { Search } from 'lucide-react'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { AddSamples } from '../first-steps/first-steps.tsx'
import type { SearchState } from './search-state.ts'
import * as strings from './strings.ts'

type Change = (next: Partial<SearchState>) => void

const EXAMPLES = [strings.exampleError, strings.exampleGoal, strings.exampleCode]

/** For somebody who can read no card yet, alone or with a team. */
export const EmptyHome = ({ hasTeam, change }: { hasTeam: boolean; change: Change }) =>
  hasTeam ? <EmptyTeam /> : <EmptyVault change={change} />

const EmptyTeam = () => (
  <EmptyState
    icon={<Search size={18} />}
    title={strings.emptyTeamTitle}
    action={<LinkButton to="/connect">{strings.connectYourAgent}</LinkButton>}
  >
    {strings.emptyTeamHint}
  </EmptyState>
)

const EmptyVault = ({ change }: { change: Change }) => (
  <EmptyState
    icon={<Search size={18} />}
    title={strings.emptyVaultTitle}
    action={
      <div className="flex flex-wrap justify-center gap-2">
        <LinkButton to="/cards/new" look="primary">
          {strings.writeFirstCard}
        </LinkButton>
        <LinkButton to="/connect">{strings.connectYourAgent}</LinkButton>
        <AddSamples />
      </div>
    }
    example={
      <>
        {strings.orTrySearch}
        {EXAMPLES.map((example, index) => (
          <span key={example}>
            {index > 0 && ', '}
            <button
              type="button"
              className="font-mono text-accent hover:underline"
              onClick={() => change({ q: example })}
            >
              {example}
            </button>
          </span>
        ))}
      </>
    }
  >
    {strings.emptyVaultHint}
  </EmptyState>
)
