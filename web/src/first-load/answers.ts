export type FirstRequest = { address: string; init: RequestInit }

/**
 * Answers requested before the app started. Each is used once. They expire soon, and a request that may
 * change something drops them.
 */

/** Undefined: the caller must send the request itself. */
type Answer = Promise<Response | undefined>

const answers = new Map<string, Answer>()

const KEPT_MS = 10_000

const nameOf = ({ address, init: { method = 'GET', body } }: FirstRequest) =>
  `${method} ${address} ${body ?? ''}`

export function keepFirstAnswer(request: FirstRequest, answer: Answer): void {
  answers.set(nameOf(request), answer)
  setTimeout(dropFirstAnswers, KEPT_MS)
}

export const dropFirstAnswers = (): void => answers.clear()

export function takeFirstAnswer(request: FirstRequest): Answer | undefined {
  const name = nameOf(request)
  const answer = answers.get(name)
  answers.delete(name)
  if (!answer && (request.init.method ?? 'GET') !== 'GET') dropFirstAnswers()
  return answer
}
