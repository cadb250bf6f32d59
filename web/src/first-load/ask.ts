/**
 * Requests what the first page shows while the browser is still loading the app. It only reads, and only
 * what costs no credits.
 */

import { sessionFetch } from '../lib/session-user.ts'
import { type FirstRequest, keepFirstAnswer } from './answers.ts'
import { asksWhoIsThere, questionsOf, WHO_IS_SIGNED_IN } from './questions.ts'

/** A failure is ignored: the app sends the request again and reports an error if that fails too. */
const ask = ({ address, init }: FirstRequest) => sessionFetch(address, init).catch(() => undefined)

const address = new URL(location.href)
if (asksWhoIsThere(address)) {
  const session = ask(WHO_IS_SIGNED_IN)
  keepFirstAnswer(WHO_IS_SIGNED_IN, session)
  for (const request of questionsOf(address))
    keepFirstAnswer(
      request,
      session.then((answer) => (answer?.ok ? ask(request) : undefined)),
    )
}
