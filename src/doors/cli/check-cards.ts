import { type Cite, readCite } from '../../features/cites/cite.ts'
import { bareName, type Fits, fitsOf } from '../../features/cites/fits.ts'
import { isBelowRange, isSameRelease, readRange, readVersion } from '../../features/cites/version-ranges.ts'
import { type FileCite, type FileFit, holdFiles } from './check-files.ts'
import { versionKey } from './lock-files/versions.ts'

type VerdictGroup = { name: string; version: string; worked: number; failed: number }

/** A card in the answer of `GET /api/v1/cards/cites`. */
export type CitingCard = {
  card_id: string
  title: string
  workspace_id: string
  cites: string[]
  trust: { summary: string } | null
  verdicts: VerdictGroup[]
}

export type HeldCite = { cite: string; fits: Fits; why: string }

export type HeldCard = {
  card_id: string
  title: string
  workspace_id: string
  fits: Fits
  cites: HeldCite[]
  /** Verdicts for the versions that are used here. */
  verdicts: VerdictGroup[]
  trust: string | null
}

type PackageCite = Extract<Cite, { kind: 'package' }>
type Versions = ReadonlyMap<string, readonly string[]>

/** A card does not fit as soon as one of its cites no longer fits. */
const FOR_CARD: readonly Fits[] = ['older', 'exact', 'likely']
/** A cite fits if one of the versions in the workspaces fits. */
const FOR_VERSIONS: readonly Fits[] = ['exact', 'likely', 'older']

const first = (order: readonly Fits[], found: readonly Fits[]): Fits =>
  order.find((fits) => found.includes(fits)) ?? 'unknown'

export const versionsOf = (versions: Versions, cite: PackageCite): readonly string[] =>
  versions.get(versionKey(cite.ecosystem, cite.name)) ?? []

function whyOf(cite: PackageCite, versions: readonly string[], fits: Fits): string {
  const here = `${versions.join(' and ')} ${versions.length === 1 ? 'is' : 'are'} here`
  const range = readRange(cite.range)
  const isNewer =
    fits === 'unknown' &&
    range !== null &&
    versions.every((version) => isBelowRange(range, readVersion(version) ?? []))
  return isNewer ? `it is about a newer version, ${here}` : here
}

const saidOf = (card: CitingCard, name: string, versions: readonly string[]): VerdictGroup[] =>
  card.verdicts.filter(
    (group) =>
      bareName(group.name) === bareName(name) &&
      versions.some((version) => isSameRelease(version, group.version)),
  )

type Held = HeldCite & { verdicts: VerdictGroup[] }

function holdPackage(card: CitingCard, text: string, cite: PackageCite, all: Versions): Held[] {
  const versions = versionsOf(all, cite)
  if (versions.length === 0) return []
  const fits = first(
    FOR_VERSIONS,
    versions.map((version) =>
      fitsOf({ cites: [text], environment: {}, verdicts: card.verdicts }, { [cite.name]: version }),
    ),
  )
  return [{ cite: text, fits, why: whyOf(cite, versions, fits), verdicts: saidOf(card, cite.name, versions) }]
}

type HoldFile = (cite: FileCite) => FileFit | null

/** Null if the card cites nothing that is used here. */
function holdCard(card: CitingCard, versions: Versions, holdFile: HoldFile): HeldCard | null {
  const held = card.cites.flatMap((text): Held[] => {
    const cite = readCite(text)
    if (cite?.kind === 'package') return holdPackage(card, text, cite, versions)
    const fit = cite?.kind === 'file' ? holdFile(cite) : null
    return fit ? [{ cite: text, ...fit, verdicts: [] }] : []
  })
  if (held.length === 0) return null
  const { card_id, title, workspace_id, trust } = card
  return {
    card_id,
    title,
    workspace_id,
    fits: first(
      FOR_CARD,
      held.map(({ fits }) => fits),
    ),
    cites: held.map(({ cite, fits, why }) => ({ cite, fits, why })),
    verdicts: [...new Set(held.flatMap(({ verdicts }) => verdicts))],
    trust: trust?.summary ?? null,
  }
}

/** The cards that cite something of this checkout, each with whether it fits. */
export function holdCards(
  cards: readonly CitingCard[],
  versions: Versions,
  checkout: string | undefined,
): HeldCard[] {
  const files = cards
    .flatMap((card) => card.cites.map(readCite))
    .flatMap((cite) => (cite?.kind === 'file' ? [cite] : []))
  const holdFile = checkout === undefined ? () => null : holdFiles(checkout, files)
  return cards.flatMap((card) => holdCard(card, versions, holdFile) ?? [])
}
