import type { UserCtx } from '../../core/context.ts'
import type { CardRow } from './select.ts'

type Contribution = { by: string; at: string }

/**
 * Who added a picture or a piece of evidence, for this reader. To others than the members of its workspace, since it came
 * there, all of a card is its owner's: another name would tell who shares a private team with the owner.
 */
export function contributorFor(
  { viewer }: UserCtx,
  { owner_id, viewer_role, seen_since }: Pick<CardRow, 'owner_id' | 'viewer_role' | 'seen_since'>,
  { by, at }: Contribution,
): string {
  const isKnown = viewer_role !== null && (seen_since === null || at >= seen_since)
  return isKnown || owner_id === viewer.userId || by === viewer.userId ? by : owner_id
}
