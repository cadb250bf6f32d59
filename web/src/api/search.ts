import type { InputOf, OutputOf } from '#server/core/capability.ts'
import type { similarTo, similarToDraft } from '#server/features/cards/similar.ts'
import type {
  clearSearchHistory as clearCapability,
  forgetSearch as forgetCapability,
  listKeptSearches as keptCapability,
  rememberSearch as rememberCapability,
  saveSearch as saveCapability,
} from '#server/features/kept-searches/kept-searches.ts'
import type { searchCards as searchCapability } from '#server/features/search/search.ts'
import type { searchEverywhere } from '#server/features/search-box/search-box.ts'
import { call } from './client.ts'

export const searchCards = call<typeof searchCapability>('POST /api/v1/search')
export const similarCards = call<typeof similarTo>('GET /api/v1/cards/{card_id}/similar')
export const similarToText = call<typeof similarToDraft>('POST /api/v1/cards/similar')

export type BoxInput = InputOf<typeof searchEverywhere>
export type BoxAnswer = OutputOf<typeof searchEverywhere>
export type BoxHit = NonNullable<BoxAnswer['mine']>['results'][number]
export type BoxEvent = NonNullable<BoxAnswer['memory']>['results'][number]
type KeptSearches = OutputOf<typeof keptCapability>
export type KeptSearch = KeptSearches['recent'][number]

export const searchBox = call<typeof searchEverywhere>('POST /api/v1/search/box')
export const keptSearches = call<typeof keptCapability>('GET /api/v1/searches')
export const rememberSearch = call<typeof rememberCapability>('POST /api/v1/searches/recent')
export const saveSearch = call<typeof saveCapability>('POST /api/v1/searches/saved')
export const forgetSearch = call<typeof forgetCapability>('DELETE /api/v1/searches/{search_id}')
export const clearSearchHistory = call<typeof clearCapability>('DELETE /api/v1/searches/recent')
