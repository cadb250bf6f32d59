import type { InputOf } from '../../../src/core/capability.ts'
import type { similarTo } from '../../../src/features/cards/similar.ts'
import type { searchCards as searchCapability } from '../../../src/features/search/search.ts'
import { call } from './client.ts'

export type SearchInput = InputOf<typeof searchCapability>

export const searchCards = call<typeof searchCapability>('POST /api/v1/search')
export const similarCards = call<typeof similarTo>('GET /api/v1/cards/{card_id}/similar')
