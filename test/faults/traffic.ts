import { Agent, request } from 'node:http'
import { goodCard } from '../support/cards.ts'
import type { ServerProcess } from '../support/process.ts'

export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  /** What the person must remember of the answer; all other answers are not even read. */
  keep?: (text: string) => void
}
export type Answer = { status: number; retryAfter: boolean; text: string }

const PASSWORD = 'correct horse battery'
const LOST_AFTER_MS = 30_000
const STANDING_CARDS = 10
/** Cards of one person say one of so many things, so that the vocabulary stays as large as it is. */
const TEXTS = 20

/** A client that costs little: it shares the machine with the server that it measures. */
export class Wire {
  readonly #url: URL
  readonly #agent: Agent

  constructor(baseUrl: string, connections: number) {
    this.#url = new URL(baseUrl)
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: connections,
      maxFreeSockets: connections,
      scheduling: 'fifo',
    })
  }

  /** Opens so many connections beforehand, as clients have that are at work already. */
  async open(connections: number): Promise<void> {
    await Promise.all(
      Array.from({ length: connections }, () => this.send({ method: 'GET', path: '/health' })),
    )
  }

  /** Status 0: no answer. */
  send(call: Call, authorization?: string): Promise<Answer> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    return new Promise((resolve) => {
      const lost = () => resolve({ status: 0, retryAfter: false, text: '' })
      const asked = request(
        {
          host: this.#url.hostname,
          port: this.#url.port,
          agent: this.#agent,
          method: call.method,
          path: call.path,
          timeout: LOST_AFTER_MS,
          headers: {
            ...(authorization ? { authorization } : {}),
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          },
        },
        (response) => {
          const status = response.statusCode ?? 0
          const retryAfter = response.headers['retry-after'] !== undefined
          let text = ''
          if (call.keep || status >= 400) response.setEncoding('utf8').on('data', (piece) => (text += piece))
          else response.resume()
          response.once('end', () => resolve({ status, retryAfter, text }))
          response.once('error', lost)
        },
      )
      asked.once('timeout', () => asked.destroy(new Error('no answer')))
      asked.once('error', lost)
      asked.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

type Step = (person: Person) => Call

const query = (person: Person) => `connection pool ${person.word(person.life % TEXTS)}1 exhausted timeout`

const readCard: Step = (person) => ({ method: 'GET', path: `/api/v1/cards/${person.aCard()}` })
const listCards: Step = () => ({ method: 'GET', path: '/api/v1/cards?scope=personal&page_size=20' })
const search: Step = (person) => ({
  method: 'POST',
  path: '/api/v1/search',
  body: { query: query(person), limit: 10 },
})
const snapshot: Step = (person) => ({
  method: 'GET',
  path: `/api/v1/project-context/snapshot?project_key=${person.project}`,
})
const searchMemory: Step = (person) => ({
  method: 'GET',
  path: `/api/v1/project-context/search?project_key=${person.project}&query=pool`,
})
const balance: Step = () => ({ method: 'GET', path: '/api/v1/credits/balance' })
const turn: Step = (person) => ({
  method: 'POST',
  path: '/api/v1/project-context/turns',
  body: {
    project_key: person.project,
    user_message: `Why does the pool run empty in life ${person.life}?`,
    agent_report: 'A thrown error skipped the release; the client is now released in a finally block.',
    summary: 'Looking at the pool',
    facts: ['Node 24', `life ${person.life}`],
  },
})
const turnByTool: Step = (person) => ({ ...turn(person), path: '/mcp/tools/append_context_turn' })
const editStanding: Step = (person) => ({
  method: 'PATCH',
  path: `/api/v1/cards/${person.aCard()}`,
  body: { scope_notes: `seen in life ${person.life}` },
})

const onCard =
  (method: Call['method'], rest: string, body?: unknown): Step =>
  (person) => ({
    method,
    path: `/api/v1/cards/${person.card}${rest}`,
    ...(body === undefined ? {} : { body }),
  })

const READS: readonly Step[] = [readCard, search, readCard, snapshot, readCard, listCards, search, readCard]

const WRITES: readonly Step[] = [
  (person) => ({
    method: 'POST',
    path: '/api/v1/cards',
    body: goodCard(person.word(person.life % TEXTS)),
    keep: (text) => {
      person.card = JSON.parse(text).card_id
    },
  }),
  turn,
  onCard('PATCH', '', { root_cause: 'A thrown error skipped the release of the client' }),
  turnByTool,
  onCard('POST', '/publish', {}),
  (person) => ({ ...search(person), body: { query: 'library standing card pool', scope: 'public' } }),
  (person) => ({
    method: 'POST',
    path: `/api/v1/cards/${person.libraryCard}/feedback`,
    // A person changes what they say of a card at most 30 times a day.
    body: { kind: person.life % 2 && person.life < 25 ? 'useful' : 'outdated' },
  }),
  onCard('POST', '/unpublish', {}),
  (person) => ({
    method: 'POST',
    path: '/api/v1/project-context/events',
    body: { project_key: person.project, event_type: 'user_message', content: 'Keep the pool at ten' },
    keep: (text) => {
      person.event = JSON.parse(text).raw_id
    },
  }),
  editStanding,
  (person) => ({ method: 'DELETE', path: `/api/v1/project-context/events/${person.event}` }),
  (person) => ({
    method: 'POST',
    path: '/api/v1/raw-materials',
    body: { title: 'Notes', content: `Notes of life ${person.life}` },
  }),
  onCard('DELETE', ''),
  (person) => ({
    method: 'PUT',
    path: '/api/v1/user/settings',
    body: { language: person.life % 2 ? 'de' : 'en' },
  }),
  (person) => ({
    method: 'POST',
    path: '/api/v1/auth/api-keys',
    body: { name: 'agent' },
    keep: (text) => {
      person.key = JSON.parse(text).key_id
    },
  }),
  (person) => ({ method: 'DELETE', path: `/api/v1/auth/api-keys/${person.key}` }),
  (person) => ({
    method: 'PATCH',
    path: `/api/v1/workspaces/${person.team}`,
    body: { name: `Team ${person.life}` },
  }),
  (person) => ({
    method: 'POST',
    path: `/api/v1/workspaces/${person.team}/members`,
    body: { user_id: person.colleague, role: 'viewer' },
  }),
  (person) => ({ method: 'DELETE', path: `/api/v1/workspaces/${person.team}/members/${person.colleague}` }),
  (person) => ({
    method: 'DELETE',
    path: `/api/v1/project-context/projects?project_key=${person.project}&confirmed_by_user=true`,
  }),
]

/**
 * The day of one person: about three reads to a write, and every kind of write that comes daily. What a life adds it also
 * takes away (cards, events, projects, keys, members), so that the vault at the end is comparable to the one at the
 * beginning and a slower answer is the server's doing. Left behind are what a vault must not forget:
 * deleted cards for their 30 days, versions, ledger, audit trail, materials.
 */
const DAY: readonly Step[] = WRITES.flatMap((write, i) => [
  write,
  READS[(3 * i) % READS.length] as Step,
  READS[(3 * i + 1) % READS.length] as Step,
  i % 5 === 4 ? searchMemory : i % 5 === 2 ? balance : (READS[(3 * i + 2) % READS.length] as Step),
])

/** For more clients than people: whatever else is under way, each of these succeeds. */
const ANY_TIME: readonly Step[] = [
  readCard,
  search,
  snapshot,
  readCard,
  turn,
  readCard,
  search,
  listCards,
  editStanding,
  snapshot,
]

export class Person {
  readonly number: number
  readonly authorization: string
  readonly cards: string[] = []
  readonly libraryCard: string
  team = ''
  colleague = ''
  card = ''
  event = ''
  key = ''
  life = 0
  #step = 0
  #looks = 0

  constructor(number: number, token: string, libraryCard: string) {
    this.number = number
    this.authorization = `Bearer ${token}`
    this.libraryCard = libraryCard
  }

  get project(): string {
    return `example/load-${this.number}`
  }

  word(text: number): string {
    return `p${this.number}t${text}`
  }

  aCard(): string {
    return this.cards[this.#looks++ % this.cards.length] as string
  }

  next(): Call {
    return (DAY[this.#step] as Step)(this)
  }

  /** The step was answered; what was refused is tried again. */
  done(): void {
    this.#step = (this.#step + 1) % DAY.length
    if (this.#step === 0) this.life++
  }

  anyTime(step: number): Call {
    return (ANY_TIME[step % ANY_TIME.length] as Step)(this)
  }
}

/** The librarian's codes let people pay for their searches in the library. */
const LIBRARIAN = 'librarian@example.com'
export const TRAFFIC_ENV = { LOG_LEVEL: 'silent' }

/** People with cards, a team and credits; a library with something in it. */
export async function settle(server: ServerProcess, wire: Wire, count: number): Promise<Person[]> {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by their fields
  const ask = async (method: Call['method'], path: string, body?: unknown, token?: string): Promise<any> => {
    const keep = () => {}
    const answer = await wire.send({ method, path, body, keep }, token ? `Bearer ${token}` : undefined)
    if (answer.status < 200 || answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.text === '' ? {} : JSON.parse(answer.text)
  }
  const register = (email: string) => ask('POST', '/api/v1/auth/register', { email, password: PASSWORD })

  const librarian: string = (await register(LIBRARIAN)).access_token
  const granted = await server.kvault('admin', 'grant', '--keep-access', LIBRARIAN)
  if (granted.code !== 0) throw new Error(granted.stderr)
  let libraryCard = ''
  for (let i = 0; i < STANDING_CARDS; i++) {
    const card = { ...goodCard(`library${i}x`), tags: ['standing'] }
    libraryCard = (await ask('POST', '/api/v1/cards', card, librarian)).card_id
    await ask('POST', `/api/v1/cards/${libraryCard}/publish`, {}, librarian)
  }
  const worth = { credits: 10_000, max_uses: count }
  const { code } = await ask('POST', '/api/v1/billing/invites', worth, librarian)

  const people: Person[] = []
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const { access_token: token, user } = await register(`load${i}@example.com`)
    const person = new Person(i, token, libraryCard)
    ids.push(user.user_id)
    await ask('POST', '/api/v1/billing/redeem-invite', { code }, token)
    person.team = (await ask('POST', '/api/v1/workspaces', { name: 'Team' }, token)).workspace_id
    for (let n = 0; n < STANDING_CARDS; n++)
      person.cards.push((await ask('POST', '/api/v1/cards', goodCard(`standing${i}n${n}x`), token)).card_id)
    people.push(person)
  }
  for (const [i, person] of people.entries()) {
    person.colleague = ids[(i + 1) % ids.length] as string
    // Everybody begins at another step of the day.
    for (let step = 0; step < (i * DAY.length) / count; step++) {
      const call = person.next()
      const answer = await wire.send(call, person.authorization)
      if (answer.status >= 300)
        throw new Error(`${call.method} ${call.path}: ${answer.status} ${answer.text}`)
      call.keep?.(answer.text)
      person.done()
    }
  }
  return people
}
