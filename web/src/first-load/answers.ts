/**
 * Answers that were asked for before the app itself ran. Each is taken once, by whoever would have asked for it. They are
 * of the moment of loading, so they do not wait long, and a request that may change something drops them.
 */
import type { Question } from './questions.ts'

/** Without a response: ask yourself. */
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
