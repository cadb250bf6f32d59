import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import type { InputOf } from '#server/core/capability.ts'
import type { listCases } from '#server/features/cards/read.ts'
import { listCards } from '../../../api/cards.ts'
import type { ListedCard } from '../../../api/types.ts'

const PAGE_SIZE = 50

export type ListInput = Omit<InputOf<typeof listCases>, 'page' | 'page_size'>

const pageQuery = (input: ListInput, page: number) =>
  queryOptions({
    queryKey: ['cards', 'list', input, page],
    queryFn: ({ signal }) => listCards({ ...input, page, page_size: PAGE_SIZE }, { signal }),
  })

/** The first page, which also has the total. The former page stays visible until it is loaded. */
export const useFirstPage = (input: ListInput) =>
  useQuery({ ...pageQuery(input, 1), placeholderData: keepPreviousData })

/**
 * The loaded cards at these positions of the list; only visible pages are requested. `retry` is there if one of them did
 * not come.
 */
export function useCardsAt(input: ListInput, first: number, last: number) {
  const from = Math.floor(Math.max(0, first) / PAGE_SIZE) + 1
  const to = Math.floor(Math.max(0, last) / PAGE_SIZE) + 1
  const pages = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const answers = useQueries({ queries: pages.map((page) => pageQuery(input, page)) })
  const missing = answers.filter(({ data, error }) => error && !data)
  return {
    cardAt: (index: number): ListedCard | undefined =>
      answers[Math.floor(index / PAGE_SIZE) + 1 - from]?.data?.items[index % PAGE_SIZE],
    retry: missing.length > 0 ? () => missing.forEach(({ refetch }) => void refetch()) : undefined,
  }
}
