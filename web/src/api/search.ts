import type { InputOf } from '#server/core/capability.ts'
import type { similarTo, similarToDraft } from '#server/features/cards/similar.ts'
import type { searchCards as searchCapability } from '#server/features/search/search.ts'
import { call } from './client.ts'

export type SearchInput = InputOf<typeof searchCapability>

export const searchCards = call<typeof searchCapability>('POST /api/v1/search')
export const similarCards = call<typeof similarTo>('GET /api/v1/cards/{card_id}/similar')
export const similarToText = call<typeof similarToDraft>('POST /api/v1/cards/similar')
