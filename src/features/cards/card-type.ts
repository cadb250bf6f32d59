import type { CardType } from '../../db/tables/cards.ts'

export type Track = 'debug' | 'build'

export const trackOf = (type: CardType): Track => (type === 'debug_fix' ? 'debug' : 'build')
