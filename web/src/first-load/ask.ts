/**
 * A small script of its own. It asks for what the first page shows while the browser still loads and reads the app. It only
 * reads, and only what is free.
 */
import { sessionFetch } from '../lib/session-fetch.ts'
import { keepFirstAnswer } from './answers.ts'
import { asksWhoIsThere, type Question, questionsOf, WHO_IS_SIGNED_IN } from './questions.ts'

/** The app asks again for what did not come, and says so if it fails as well. */
const ask = ({ address, init }: Question) => sessionFetch(address, init).catch(() => undefined)

const address = new URL(location.href)
if (asksWhoIsThere(address)) {
  const session = ask(WHO_IS_SIGNED_IN)
  keepFirstAnswer(WHO_IS_SIGNED_IN, session)
  for (const question of questionsOf(address))
    keepFirstAnswer(
      question,
      session.then((answer) => (answer?.ok ? ask(question) : undefined)),
    )
}
