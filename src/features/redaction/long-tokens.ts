import { changesIn, isPlaceholder, isPlainlyRandom } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

/** Longer than the opaque tokens that services hand out; a longer value is data. */
export const LONGEST_TOKEN = 4000
const LONG = new RegExp(`[A-Za-z0-9_+/.~=%-]{201,${LONGEST_TOKEN}}(?=[\\s"'\`;,)\\]}\\\\<&]|$)`, 'y')

/** As much as shows whether the rest is random. */
const SAMPLE = 400
/** In a random value a quarter to a half of all neighbours are a letter and a digit; in a path or in words hardly any. */
const LEAST_SHARE_OF_CHANGES = 0.1
const PUBLIC_KEY_OF_SSH = /^AAAA[A-Z][23][NVY]/

/** A long token beside its name, such as the one that renews a session. No password is that long. */
export function longToken(text: string, start: number, kind: string): Span | undefined {
  if (kind === 'password') return undefined
  LONG.lastIndex = start
  const value = LONG.exec(text)?.[0]
  if (value === undefined || PUBLIC_KEY_OF_SSH.test(value)) return undefined
  const sample = value.slice(0, SAMPLE)
  if (isPlaceholder(sample) || !isPlainlyRandom(sample)) return undefined
  if (changesIn(sample) < LEAST_SHARE_OF_CHANGES * sample.length) return undefined
  return { start, end: start + value.length, kind, rank: RANK.assigned }
}
