import type { OutputOf } from '#server/core/capability.ts'
import type { listGuide as ListGuide, readGuidePage as ReadGuidePage } from '#server/features/guide/guide.ts'
import { call } from './client.ts'

export type GuideHit = OutputOf<typeof ListGuide>['hits'][number]
export type GuideSection = OutputOf<typeof ReadGuidePage>['sections'][number]

export const listGuide = call<typeof ListGuide>('GET /api/v1/guide')
export const readGuidePage = call<typeof ReadGuidePage>('GET /api/v1/guide/{page}')
