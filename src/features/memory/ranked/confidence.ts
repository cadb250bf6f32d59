import type { RankedEvent } from './rank-events.ts'

export type Beside = { asked: number; best: RankedEvent | undefined; next: RankedEvent | undefined }

export const confidenceOf = ({ covered }: RankedEvent, _: Beside): number => covered
export const isWeak = (confidence: number): boolean => confidence < 0.3
