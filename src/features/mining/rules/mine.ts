import { type Candidate, candidateFrom, worthOf } from './candidate.ts'
import { type Recovery, readSession } from './pairs.ts'
import type { Session } from './session.ts'

export type Mined = { candidates: Candidate[]; recoveries: Recovery[] }

/** Finds the candidates of a session: the most useful first, each error once. */
export function mine(session: Session): Mined {
  const { pairs, recoveries } = readSession(session)
  const bySignature = new Map(pairs.map((pair) => [pair.signature, pair]))
  const candidates = [...bySignature.values()].map((pair) => candidateFrom(pair, session.environment))
  return { candidates: candidates.toSorted((a, b) => worthOf(b) - worthOf(a)), recoveries }
}
