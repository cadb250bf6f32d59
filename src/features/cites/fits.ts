import { readCite, sameName } from './cite.ts'
import { compareVersions, isInRange, isSameRelease, readRange, readVersion } from './version-ranges.ts'

/** Whether a card is about what the asker runs. `older`: it is about something older. */
export type Fits = 'exact' | 'likely' | 'older' | 'unknown'

export type Fitting = {
  cites: readonly string[]
  environment: Readonly<Record<string, string>>
  verdicts: readonly { name: string; version: string; worked: number; failed: number }[]
}

type Claim = { name: string; range: string }

/** Verdicts, cites and askers write `npm:fastify` or `fastify` and mean the same. */
export const bareName = (name: string): string => sameName('npm', name.replace(/^[a-z]+:/, ''))

function claimsOf({ cites, environment }: Fitting): Claim[] {
  const cited = cites.flatMap((text): Claim[] => {
    const cite = readCite(text)
    return cite?.kind === 'package' ? [{ name: bareName(cite.name), range: cite.range }] : []
  })
  return [...cited, ...Object.entries(environment).map(([name, range]) => ({ name: bareName(name), range }))]
}

/**
 * A version without an operator is the one that somebody used, not a limit: what is true for 5.2.1 is most likely
 * true for 5.3.
 */
function isWhatItBecame(range: string, version: readonly number[]): boolean {
  const read = /^[vV]?\d+(?:\.\d+)*$/.test(range) ? readRange(`^${range}`) : null
  return read !== null && isInRange(read, version)
}

function fitsVersion(range: string, asked: string): Fits {
  const [read, version, written] = [
    readRange(range),
    readVersion(asked),
    readVersion(range.replace(/^\D+/, '')),
  ]
  if (read === null || version === null) return 'unknown'
  if (written && compareVersions(written, version) === 0) return 'exact'
  if (isInRange(read, version) || isWhatItBecame(range, version)) return 'likely'
  return written && compareVersions(version, written) > 0 ? 'older' : 'unknown'
}

function fitsVerdicts(card: Fitting, name: string, asked: string): Fits {
  const told = card.verdicts.filter(
    (group) => bareName(group.name) === name && isSameRelease(group.version, asked),
  )
  const worked = told.reduce((sum, group) => sum + group.worked - group.failed, 0)
  return worked > 0 ? 'exact' : 'unknown'
}

/** The first of these that any cite gives is the result. */
const ORDER: readonly Fits[] = ['older', 'exact', 'likely']

export function fitsOf(card: Fitting, asked: Readonly<Record<string, string>>): Fits {
  const claims = claimsOf(card)
  const found = Object.entries(asked).flatMap(([written, version]) => {
    const name = bareName(written)
    const told = fitsVerdicts(card, name, version)
    // Somebody has tried it with exactly this version, so the ranges of the card no longer matter.
    if (told === 'exact') return [told]
    return claims.filter((claim) => claim.name === name).map((claim) => fitsVersion(claim.range, version))
  })
  return ORDER.find((fits) => found.includes(fits)) ?? 'unknown'
}
