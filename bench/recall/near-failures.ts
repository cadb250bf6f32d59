import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './cases.ts'

/**
 * Failures of 30 kinds of tools with a card in somebody's own words, and for each a near failure: the same tool, mostly the
 * same sentence, and another cause, module, version or file, so that the card is wrong for it. They were written at once,
 * before anybody had looked at what recall does with them.
 */
type NearFailure = {
  id: string
  failure: string
  near: string
  title: string
  symptom: string
  fix: string
  /** How people search for the card. */
  queries: string[]
}

const readAll = (): NearFailure[] =>
  readFileSync(join(import.meta.dirname, 'near-failures.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Neighbours are about the same tool: each half and each vault has some of it. */
const halfOf = (n: number): Case['half'] => (n % 2 === 0 ? 'tuning' : 'reporting')
const vaultOf = (n: number): 2 | 3 => ((n >> 1) % 2 === 0 ? 2 : 3)

/** The cards of a vault. */
export const nearCards = (vault: 2 | 3) =>
  readAll()
    .filter((_, n) => vaultOf(n) === vault)
    .map(({ id, title, symptom, fix }) => ({
      name: id,
      card: { title, symptom, root_cause: '', fix_summary: fix, tags: [], environment: {} },
    }))

/** Both failures are asked in both vaults: only one has the card. */
export const nearCases = (): Case[] =>
  readAll().flatMap(({ id, failure, near }, n) => {
    const half = halfOf(n)
    const own = vaultOf(n)
    const other = own === 2 ? 3 : 2
    const moment = 'failure' as const
    return [
      { kind: 'failure of 30 tools', sort: 'its card', moment, text: failure, answer: id, vault: own, half },
      {
        kind: 'near failure',
        sort: 'beside the card',
        moment,
        text: near,
        answer: undefined,
        vault: own,
        half,
      },
      { kind: 'near failure', sort: 'without it', moment, text: near, answer: undefined, vault: other, half },
      {
        kind: 'near failure',
        sort: 'its card is gone',
        moment,
        text: failure,
        answer: undefined,
        vault: other,
        half,
      },
    ]
  })
