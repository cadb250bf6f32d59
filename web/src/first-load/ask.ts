/**
 * Requests what the first page shows while the browser is still loading the app. It only reads, and only
 * what costs no credits.
 */

import { sessionFetch } from '../lib/session-user.ts'
import { type FirstRequest, keepFirstAnswer } from './answers.ts'
import { firstRequestsOf, needsSession, SESSION_REQUEST } from './requests.ts'

/** A failure is ignored: the app sends the request again and reports an error if that fails too. */
const ask = ({ address, init }: FirstRequest) => sessionFetch(address, init).catch(() => undefined)

const address = new URL(location.href)
if (needsSession(address)) {
  const session = ask(SESSION_REQUEST)
  keepFirstAnswer(SESSION_REQUEST, session)
  for (const request of firstRequestsOf(address))
    keepFirstAnswer(
      request,
      session.then((answer) => (answer?.ok ? ask(request) : undefined)),
    )
}
