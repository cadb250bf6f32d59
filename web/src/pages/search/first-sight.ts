import { redirect } from '@tanstack/react-router'
import { queryClient } from '../../api/query.ts'
import { isWide } from '../../lib/use-wide.ts'
import { meQuery } from '../../session.ts'
import { cardQuery } from '../cards/card-queries.ts'
import { cardPage } from './hits.ts'
import { DetailPane } from './search-page.tsx'
import { questionOf, type SearchState } from './search-state.ts'
import { recentQuery } from './start.tsx'
import { freeSearchQuery } from './use-search.ts'

/** Nobody notices so short a wait; what takes longer is not waited for. */
const MOST_WAITED_MS = 50

let isFirst = true

/** A link from a screen with room for list and card: where there is none, what was chosen is a page of its own. */
function goToChosen({ card, event }: SearchState): void {
  if (isWide()) return
  if (card) throw redirect({ ...cardPage({ card_id: card }), replace: true })
  if (event) throw redirect({ to: '/memory/events/$rawId', params: { rawId: event }, replace: true })
}

/**
 * On the first load, answers and files are mostly there before the app itself runs (src/first-load). Then the page is drawn
 * once, with all of it, and not first without.
 */
export async function waitForFirstSight(state: SearchState): Promise<void> {
  if (!isFirst || !queryClient.getQueryData(meQuery.queryKey)) return
  isFirst = false
  goToChosen(state)
  const list = questionOf(state).query
    ? queryClient.prefetchQuery(freeSearchQuery(state))
    : queryClient.prefetchQuery(recentQuery)
  const card = state.card ? [queryClient.prefetchQuery(cardQuery(state.card)), DetailPane.preload()] : []
  const tooLong = new Promise((resolve) => setTimeout(resolve, MOST_WAITED_MS))
  await Promise.race([Promise.all([list, ...card]), tooLong])
}
