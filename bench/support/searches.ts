import { remixedQueries, sentencesFrom } from '../search/cards.ts'
import { postsBy, type Request } from './load.ts'

/** Two hundred different searches in public cards, as made-up sentences. */
export const searchesBy = (headers: Record<string, string>): Request[] =>
  remixedQueries(sentencesFrom(undefined), 200).map((query) =>
    postsBy(headers)('/api/v1/search', { query: query.padEnd(3), scope: 'public' }),
  )
