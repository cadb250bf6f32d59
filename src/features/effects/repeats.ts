import type { Overcome } from './effects.store.ts'

export type Repeats = { seen_again: number; fewer: number }

/**
 * "Seen again" counts errors that one person first overcame without a card, and later with a delivered one. "Fewer": it
 * took fewer failing attempts than the first time.
 */
export function countRepeats(inOrder: readonly Overcome[]): Repeats {
  const first = new Map<string, number>()
  const repeats = { seen_again: 0, fewer: 0 }
  for (const { user_id, signature, attempts, delivered } of inOrder) {
    const key = `${user_id} ${signature}`
    const before = first.get(key)
    if (before === undefined) {
      if (!delivered) first.set(key, attempts)
    } else if (delivered) {
      repeats.seen_again += 1
      if (attempts < before) repeats.fewer += 1
    }
  }
  return repeats
}
