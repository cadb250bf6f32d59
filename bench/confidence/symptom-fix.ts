import { readCards, readQueries, readUnanswerable } from '../symptom-fix/data.ts'
import type { AskedCollection } from './samples.ts'

/** The subject of symptom-fix, and of every collection of code. */
export const PROGRAMMING = 'programming'

/** Our own benchmark as one more collection: short questions, errors, logs, and questions near to its cards that none answers. */
export function symptomFix(): AskedCollection {
  const queries = readQueries()
  return {
    name: 'symptom-fix',
    subject: PROGRAMMING,
    texts: readCards().map(({ id, title, symptom, root_cause, fix }) => ({
      _id: id,
      title,
      text: [symptom, root_cause, fix].join('\n'),
    })),
    queries: queries.map(({ id, text }) => ({ _id: id, text })),
    judgements: new Map(queries.map(({ id, answer }) => [id, new Map([[answer, 1]])])),
    unanswerable: readUnanswerable().map(({ id, text }) => ({ _id: id, text })),
  }
}
