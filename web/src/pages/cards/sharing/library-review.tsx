import { useQuery } from '@tanstack/react-query'
import { MAX_PUBLISH_REWARDS_PER_DAY } from '#server/shared/reward-limit.ts'
import { plural } from '../../../lib/format.ts'
import { configQuery, creditsPolicyQuery } from '../../../session.ts'
import { Notice } from '../../../ui/states.tsx'
import { ReviewChecklist } from '../review-checklist.tsx'
import type { Shareable } from './sharing.ts'

/** What publishing earns at most: each card once, none that was published before, and so many on one day. */
export function usePublishReward(cards: readonly Shareable[]): number {
  const { data: config } = useQuery(configQuery)
  const { data: policy } = useQuery(creditsPolicyQuery)
  if (!config?.credits) return 0
  const unpublished = cards.filter((card) => card.home.kind !== 'library').length
  return Math.min(unpublished, MAX_PUBLISH_REWARDS_PER_DAY) * (policy?.publish_reward_credits ?? 0)
}

/** The review before publishing: rule by rule for one card, as a sentence for many. */
export function LibraryReview({ cards, reward }: { cards: readonly Shareable[]; reward: number }) {
  const [only] = cards.length === 1 ? cards : []
  const earns =
    reward > 0
      ? `It earns up to ${plural(reward, 'credit')}, once per card and for ${MAX_PUBLISH_REWARDS_PER_DAY} cards a day; one that was published before earns nothing.`
      : ''
  if (only?.steps)
    return (
      <>
        <ReviewChecklist
          content={{ ...only, steps: only.steps }}
          evidences={only.evidences ?? []}
          evidenceCount={only.evidence_count}
        />
        {earns && <p className="text-xs text-faint">{earns}</p>}
      </>
    )
  return (
    <Notice>
      Each of the {plural(cards.length, 'card')} is reviewed. Those that do not pass stay as they are, with
      the reasons. {earns}
    </Notice>
  )
}
