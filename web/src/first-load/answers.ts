/** A request as `fetch` takes it. */
export type Question = { address: string; init: RequestInit }

/**
 * Answers that were requested before the app started. Each is used once, by the code that would have requested it. They
 * show the moment of loading, so they expire soon, and a request that may change something drops them.
 */

/** Undefined means that the caller must send the request itself. */
type Answer = Promise<Response | undefined>

const answers = new Map<string, Answer>()

const KEPT_MS = 10_000

const nameOf = ({ address, init: { method = 'GET', body } }: Question) => `${method} ${address} ${body ?? ''}`

export function keepFirstAnswer(question: Question, answer: Answer): void {
  answers.set(nameOf(question), answer)
  setTimeout(dropFirstAnswers, KEPT_MS)
}

export const dropFirstAnswers = (): void => answers.clear()

export function takeFirstAnswer(question: Question): Answer | undefined {
  const name = nameOf(question)
  const answer = answers.get(name)
  answers.delete(name)
  if (!answer && (question.init.method ?? 'GET') !== 'GET') dropFirstAnswers()
  return answer
}
