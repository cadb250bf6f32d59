import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './cases.ts'

/**
 * Failures with a card in somebody's own words, and for each a near failure: the same tool, mostly the same sentence, and
 * another cause, module, version or file, so that the card is wrong for it. Each set was written at once, before anybody
 * had looked at what recall does with it.
 */
export type NearFailure = {
  id: string
  failure: string
  near: string
  title: string
  symptom: string
  fix: string
  /** How people search for the card. */
  queries: string[]
  /** How people search for the near failure; only the second set has it. */
  near_query?: string
}

export const readSet = (name: string): NearFailure[] =>
  readFileSync(join(import.meta.dirname, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Neighbours are about the same tool: each half and each vault has some of it. */
export const halfOf = (n: number): Case['half'] => (n % 2 === 0 ? 'tuning' : 'reporting')
export const isInFirst = (n: number): boolean => (n >> 1) % 2 === 0

export const named = ({ id, title, symptom, fix }: NearFailure) => ({
  name: id,
  card: { title, symptom, root_cause: '', fix_summary: fix, tags: [], environment: {} },
})

/** Two sets, each in two vaults with half of its cards. The second stands beside all cards of the first. */
const SETS = [
  { file: 'near-failures', vaults: [2, 3], with: 'failure of 30 tools', near: 'near failure' },
  { file: 'more-failures', vaults: [4, 5], with: 'failure of 24 trades', near: 'near failure there' },
] as const

export type NearVault = (typeof SETS)[number]['vaults'][number]
export const NEAR_KINDS = SETS.flatMap(({ with: its, near }) => [its, near])

/** The cards of a vault. */
export const nearCards = (vault: NearVault) =>
  SETS.flatMap(({ file, vaults: [first, second] }, at) => {
    const isOlder = SETS.slice(at + 1).some(({ vaults }) => vaults.some((other) => other === vault))
    return readSet(file)
      .filter((_, n) => isOlder || (isInFirst(n) ? first : second) === vault)
      .map(named)
  })

/** Both failures are asked in both vaults: only one has the card. */
export const nearCases = (): Case[] =>
  SETS.flatMap((set) =>
    readSet(set.file).flatMap(({ id, failure, near }, n) => {
      const half = halfOf(n)
      const [own, other] = isInFirst(n) ? set.vaults : ([set.vaults[1], set.vaults[0]] as const)
      const asked = { moment: 'failure', half } as const
      const wrong = { ...asked, kind: set.near, answer: undefined }
      return [
        { ...asked, kind: set.with, sort: 'its card', text: failure, answer: id, vault: own },
        { ...wrong, sort: 'beside the card', text: near, vault: own },
        { ...wrong, sort: 'without it', text: near, vault: other },
        { ...wrong, sort: 'its card is gone', text: failure, vault: other },
      ]
    }),
  )
