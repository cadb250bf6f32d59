import type { BoxInput } from '../api/types.ts'
import { HITS_AT_ONCE, questionOf, readSearch } from '../pages/search/search-state.ts'
import type { Question } from './answers.ts'

export const WHO_IS_SIGNED_IN: Question = { address: '/api/v1/auth/me', init: {} }

/** The cards on the home page before the reader types anything. */
export const RECENT = { scope: 'personal', sort: 'changed', page_size: 8 } as const

export const freeSearch = (question: BoxInput): BoxInput => ({ ...question, limit: HITS_AT_ONCE })

/** Pages that open without asking who is signed in. */
const OPEN_TO_ALL = /^\/(reset|verify|auth|help|invite)(\/|$)/

const CARD_PAGE = /^\/cards\/([\w-]{36})$/

const get = (address: string): Question => ({ address, init: {} })

const card = (cardId: string) => get(`/api/v1/cards/${encodeURIComponent(cardId)}?include_evidences=true`)

/** Reads a value as the router does: as JSON if it is JSON. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The requests for what this page shows first to somebody signed in. A wrong guess is harmless; it only saves less time. */
export function questionsOf({ pathname, searchParams }: URL): Question[] {
  const cardPage = CARD_PAGE.exec(pathname)?.[1]
  if (cardPage) return [card(cardPage)]
  if (pathname !== '/') return []
  const state = readSearch(
    Object.fromEntries([...searchParams].map(([name, text]) => [name, readValue(text)])),
  )
  const question = questionOf(state)
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

export const asksWhoIsThere = ({ pathname }: URL): boolean => !OPEN_TO_ALL.test(pathname)
