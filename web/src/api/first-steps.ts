import type { OutputOf } from '#server/core/capability.ts'
import type {
  dismissFirstSteps as DismissFirstSteps,
  readFirstSteps as ReadFirstSteps,
} from '#server/features/first-steps/first-steps.ts'
import type {
  addSamples as AddSamples,
  removeSamples as RemoveSamples,
} from '#server/features/first-steps/samples.ts'
import { call } from './client.ts'

type FirstSteps = OutputOf<typeof ReadFirstSteps>
export type StepName = FirstSteps['steps'][number]['step']

export const readFirstSteps = call<typeof ReadFirstSteps>('GET /api/v1/auth/first-steps')
export const dismissFirstSteps = call<typeof DismissFirstSteps>('POST /api/v1/auth/first-steps/dismiss')
export const addSamples = call<typeof AddSamples>('POST /api/v1/samples')
export const removeSamples = call<typeof RemoveSamples>('DELETE /api/v1/samples')
