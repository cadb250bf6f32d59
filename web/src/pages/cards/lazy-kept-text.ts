import { lazyPart } from '../../lib/loadable.tsx'

/** Few cards have text that waits for them, so this is no part of what a card loads. */
export const KeptText = lazyPart(async () => (await import('./as-new-card.tsx')).KeptText)
