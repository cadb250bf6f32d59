import type { Card } from '../../api/types.ts'
import type { Draft } from './draft.ts'

export function ReviewChecklist(_: { draft: Draft | Card; evidenceCount?: number }) {
  return null
}
