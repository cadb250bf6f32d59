import type { OutputOf } from '#server/core/capability.ts'
import type { readEffects as ReadEffects } from '#server/features/trust/effects.ts'
import { call } from './client.ts'

export type Effects = OutputOf<typeof ReadEffects>

export const readEffects = call<typeof ReadEffects>('GET /api/v1/effects')
