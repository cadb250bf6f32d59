import type { BoxEvent, BoxHit } from '../../api/search.ts'
import type { SearchState } from './search-state.ts'

/** What can be chosen and opened: a card, or an event of memory. */
export type Chosen = { card?: string | undefined; event?: string | undefined }

export const isChosen = (state: Chosen, one: Chosen): boolean =>
  one.event === undefined ? state.card === one.card : state.event === one.event

/** Where the page of a memory event is: the project, narrowed by the same words. */
export const eventPage = ({ project_key, workspace_id }: BoxEvent, query: string) =>
  ({
    to: '/memory/project',
    search: { key: project_key, workspace: workspace_id, q: query, by: 'words' },
  }) as const

export const cardPage = ({ card_id }: Pick<BoxHit, 'card_id'>) =>
  ({ to: '/cards/$cardId', params: { cardId: card_id } }) as const

/** The hit after or before the chosen one; the first if none is chosen. */
export function neighbour(all: readonly Chosen[], state: SearchState, by: number): Chosen | undefined {
  const at = all.findIndex((one) => isChosen(state, one))
  return all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]
}
