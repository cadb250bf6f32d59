import type { CardType } from '../../../db/tables/cards.ts'
import { filterHash } from '../../../text/term-hash.ts'
import { normalName } from '../tags.ts'

/** Every card of an owner, published or not. */
export const ownerFilter = (ownerId: string) => filterHash(`owner ${ownerId}`)
/** The same, in one workspace. */
export const ownerInFilter = (ownerId: string, workspaceId: string) =>
  filterHash(`owner ${ownerId} in ${workspaceId}`)
/** The published cards of a workspace. */
export const workspaceFilter = (workspaceId: string) => filterHash(`published in ${workspaceId}`)

/** The cards that everybody may find and that were published from a workspace to another one. */
export const publishedFromFilter = (workspaceId: string) => filterHash(`published from ${workspaceId}`)

export const tagFilter = (tag: string) => filterHash(`tag ${normalName(tag)}`)
export const typeFilter = (type: CardType) => filterHash(`type ${type}`)
export const trackFilter = (track: 'debug' | 'build') => filterHash(`track ${track}`)

const environmentFilter = (normalisedName: string, value: string) =>
  filterHash(`environment ${normalisedName} = ${value}`)

/** No version has more parts. A card of values such as `1.1.1.…` would have a hundred thousand filters. */
const MOST_PREFIXES = 20

/** `20.11.1` is found by 20, by 20.11 and by itself. */
const prefixesOf = (version: string): string[] => {
  const value = normalName(version)
  const prefixes = [...value.matchAll(/[.]/g)].map((dot) => value.slice(0, dot.index))
  return [...prefixes.filter((prefix) => /\d$/.test(prefix)).slice(0, MOST_PREFIXES), value]
}

export function environmentFilters(name: string, value: string): number[] {
  const normalised = normalName(name)
  return prefixesOf(value).map((prefix) => environmentFilter(normalised, prefix))
}

export const askedEnvironmentFilter = (name: string, value: string) =>
  environmentFilter(normalName(name), normalName(value))

/** Every asked name is there, and its value is the asked one or a version under it. */
export const matchesEnvironment = (
  has: Readonly<Record<string, string>>,
  asked: Readonly<Record<string, string>>,
): boolean =>
  Object.entries(asked).every(([name, value]) =>
    Object.entries(has).some(
      ([key, is]) => normalName(key) === normalName(name) && prefixesOf(is).includes(normalName(value)),
    ),
  )
