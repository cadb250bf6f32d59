import type { BoxInput } from '../api/types.ts'
import { HITS_AT_ONCE, readSearch, searchInput } from '../pages/search/search-state.ts'
import type { FirstRequest } from './answers.ts'

export const SESSION_REQUEST: FirstRequest = { address: '/api/v1/auth/me', init: {} }

export const RECENT = { scope: 'personal', sort: 'changed', page_size: 8 } as const

/** `typing`: the box asks at every pause, also in the middle of a word. */
export const freeSearch = (question: BoxInput): BoxInput => ({
  ...question,
  limit: HITS_AT_ONCE,
  typing: true,
})

const OPEN_TO_ALL = /^\/(reset|verify|auth|help|invite)(\/|$)/

const CARD_PAGE = /^\/cards\/([\w-]{36})$/

const get = (address: string): FirstRequest => ({ address, init: {} })

const card = (cardId: string) => get(`/api/v1/cards/${encodeURIComponent(cardId)}?include_evidences=true`)

function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the requests for what a page shows first. A wrong guess only saves less time. */
export function firstRequestsOf({ pathname, searchParams }: URL): FirstRequest[] {
  const cardPage = CARD_PAGE.exec(pathname)?.[1]
  if (cardPage) return [card(cardPage)]
  if (pathname !== '/') return []
  const state = readSearch(
    Object.fromEntries([...searchParams].map(([name, text]) => [name, readValue(text)])),
  )
  const question = searchInput(state)
  const list = question.query
    ? {
        address: '/api/v1/search/box',
        init: {
          method: 'POST',
          body: JSON.stringify(freeSearch(question)),
          headers: { 'Content-Type': 'application/json' },
        },
      }
    : get(
        `/api/v1/cases?${new URLSearchParams(Object.entries(RECENT).map(([name, value]) => [name, `${value}`]))}`,
      )
  return [list, ...(state.card ? [card(state.card)] : [])]
}

export const needsSession = ({ pathname }: URL): boolean => !OPEN_TO_ALL.test(pathname)
