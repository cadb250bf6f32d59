import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_PUBLISH_REWARDS_PER_DAY } from '../../src/shared/reward-limit.ts'
import { goodCard } from '../support/cards.ts'
import { type Body, Written, type WrittenCard } from './written.ts'

type Call = {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  body?: unknown
  ifMatch?: number
  apply: (body: Body) => void
}
type Sent = Call & { headers: Record<string, string> }

const TRIES = 600
/** Fewer than a person may change what they say of one card on a day; from then on it is repeated. */
const MAX_FEEDBACK_CHANGES = 25

/** What others have made: somebody's card in the library, and how to find it. */
export type Library = { cardId: string; word: string }

/**
 * Writes of every kind, one after another, and remembers what was acknowledged. The call that a crash cut off is sent
 * again with its Idempotency-Key (or If-Match), so that afterwards everything must be there exactly once.
 */
export class Writer {
  readonly email = `writer-${randomUUID()}@example.com`
  readonly written = new Written()
  readonly #baseUrl: () => string
  readonly #library: Library | undefined
  acknowledged = 0
  #token = ''
  #pending: Sent | undefined
  #step = 0
  #feedbackGiven = 0

  constructor(baseUrl: () => string, library?: Library) {
    this.#baseUrl = baseUrl
    this.#library = library
  }

  async #send(call: Sent): Promise<boolean> {
    const response = await fetch(this.#baseUrl() + call.path, {
      method: call.method,
      headers: {
        'content-type': 'application/json',
        ...(this.#token ? { authorization: `Bearer ${this.#token}` } : {}),
        ...call.headers,
      },
      ...(call.method === 'DELETE' ? {} : { body: JSON.stringify(call.body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (!response || text === undefined || response.status === 503) return false
    if (!response.ok && !wasDoneBefore(call, response.status))
      throw new Error(`${call.method} ${call.path}: ${response.status} ${text}`)
    this.#pending = undefined
    call.apply(response.ok && text !== '' ? JSON.parse(text) : {})
    this.acknowledged += 1
    return true
  }

  #do(call: Call): Promise<boolean> {
    const headers: Record<string, string> =
      call.ifMatch === undefined ? { 'idempotency-key': randomUUID() } : { 'if-match': `"${call.ifMatch}"` }
    this.#pending = { ...call, headers }
    return this.#send(this.#pending)
  }

  #post(path: string, body: unknown, apply: Call['apply']): Promise<boolean> {
    return this.#do({ method: 'POST', path, body, apply })
  }

  async get(path: string): Promise<Body> {
    const response = await fetch(this.#baseUrl() + path, {
      headers: { authorization: `Bearer ${this.#token}` },
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }

  async register(): Promise<void> {
    const body = { email: this.email, password: 'correct horse battery' }
    await this.#post('/api/v1/auth/register', body, (answer) => {
      this.#token = answer.access_token
    })
    await this.settle()
  }

  /** Makes a code that gives each of `uses` people `credits`; for service admins. */
  async makeCode(credits: number, uses: number): Promise<string> {
    let made = ''
    await this.#post('/api/v1/billing/invites', { credits, max_uses: uses }, ({ code }) => {
      made = code
    })
    await this.settle()
    return made
  }

  /** Takes the credits of a code. */
  async redeem(code: string, credits: number): Promise<void> {
    await this.#post('/api/v1/billing/redeem-invite', { code }, () => {
      this.written.redeemed += credits
    })
    await this.settle()
  }

  record(): Promise<boolean> {
    const word = randomUUID().replaceAll('-', '')
    return this.#post('/api/v1/cards', goodCard(word), (answer) => {
      this.written.cards.set(answer.card_id, { version: 1, status: 'unpublished', word, rewarded: false })
    })
  }

  publish([id, card] = this.#card('unpublished')): Promise<boolean> {
    return this.#post(`/api/v1/cards/${id}/publish`, {}, () => {
      card.status = 'published'
      // A card earns once, however often it goes into the library, and so many cards earn on one day.
      if (card.rewarded || this.written.rewards >= MAX_PUBLISH_REWARDS_PER_DAY) return
      this.written.rewards += 1
      card.rewarded = true
    })
  }

  #card(status: 'unpublished' | 'published'): [id: string, card: WrittenCard] {
    const found = [...this.written.cards].filter(([, card]) => card.status === status)
    const card = found[this.#step % Math.max(1, found.length)]
    if (!card) throw new Error(`no card is ${status}`)
    return card
  }

  /** Every kind of write, in an order in which each finds what it needs, and each cycle leaves more than it found. */
  readonly #kinds: readonly ((step: number) => Promise<boolean>)[] = [
    () => this.record(),
    (step) => this.#turn(step),
    (step) => this.#update(step),
    () => this.publish(),
    () => this.record(),
    () => this.#search(),
    (step) =>
      this.#post('/api/v1/raw-materials', { content: `material ${step}` }, () => {
        this.written.materials += 1
      }),
    (step) =>
      this.#post('/api/v1/auth/api-keys', { name: `key ${step}` }, ({ key_id }) => {
        this.written.keys.push(key_id)
      }),
    (step) =>
      this.#post('/api/v1/workspaces', { name: `Team ${step}` }, ({ workspace_id }) => {
        this.written.workspaces.push(workspace_id)
      }),
    () => this.#invite(),
    () => this.record(),
    () => this.#deleteCard(),
    (step) => this.#turn(step),
    () => this.#deleteTurn(),
    (step) => this.#changeSettings(step),
    (step) => this.#giveFeedback(step),
    () => this.#unpublish(),
    () => this.#undelete(),
    () => this.#revokeKey(),
  ]

  #turn(step: number): Promise<boolean> {
    const facts = `fact ${step}`
    const turn = {
      project_key: 'example/faults',
      user_message: `m${step}`,
      agent_report: 'r',
      summary: 's',
      facts,
    }
    return this.#post('/api/v1/project-context/turns', turn, ({ raw_ids }) => {
      this.written.events += 3
      this.written.facts = facts
      this.written.turns.push(raw_ids[0])
    })
  }

  #deleteTurn(): Promise<boolean> {
    const [rawId = ''] = this.written.turns
    return this.#do({
      method: 'DELETE',
      path: `/api/v1/project-context/events/${rawId}`,
      apply: () => {
        this.written.turns.shift()
        this.written.events -= 1
      },
    })
  }

  #update(step: number): Promise<boolean> {
    const [id, card] = this.#card('unpublished')
    return this.#do({
      method: 'PATCH',
      path: `/api/v1/cards/${id}`,
      body: { scope_notes: `note ${step}` },
      ifMatch: card.version,
      apply: () => {
        card.version += 1
      },
    })
  }

  #unpublish(): Promise<boolean> {
    const [id, card] = this.#card('published')
    return this.#post(`/api/v1/cards/${id}/unpublish`, {}, () => {
      card.status = 'unpublished'
    })
  }

  #deleteCard(): Promise<boolean> {
    const [id, card] = this.#card('unpublished')
    return this.#do({
      method: 'DELETE',
      path: `/api/v1/cards/${id}`,
      apply: () => {
        this.written.cards.delete(id)
        this.written.deleted.set(id, card)
      },
    })
  }

  #undelete(): Promise<boolean> {
    const [id, card] = [...this.written.deleted].at(-1) as [string, WrittenCard]
    return this.#post(`/api/v1/cards/${id}/undelete`, {}, () => {
      this.written.deleted.delete(id)
      this.written.cards.set(id, card)
    })
  }

  #search(): Promise<boolean> {
    const query = this.#library?.word ?? 'nothing'
    return this.#post('/api/v1/search', { query, scope: 'public' }, ({ credits_charged }) => {
      this.written.charges += credits_charged > 0 ? 1 : 0
    })
  }

  #invite(): Promise<boolean> {
    const email = `invited-${randomUUID()}@example.com`
    const path = `/api/v1/workspaces/${this.written.workspaces[0]}/invites`
    return this.#post(path, { email, role: 'viewer' }, () => {
      this.written.invited.push(email)
    })
  }

  #changeSettings(step: number): Promise<boolean> {
    const language = `en-x-${step}`
    return this.#do({
      method: 'PUT',
      path: '/api/v1/user/settings',
      body: { language },
      apply: () => {
        this.written.language = language
      },
    })
  }

  #giveFeedback(step: number): Promise<boolean> {
    if (!this.#library) throw new Error('there is no card of somebody else')
    const isChanging = ++this.#feedbackGiven <= MAX_FEEDBACK_CHANGES
    const changed = { kind: step % 2 === 0 ? 'useful' : 'outdated', comment: `said at ${step}` }
    const feedback = isChanging ? changed : (this.written.feedback ?? changed)
    return this.#post(`/api/v1/cards/${this.#library.cardId}/feedback`, feedback, () => {
      this.written.feedback = feedback
    })
  }

  #revokeKey(): Promise<boolean> {
    const [keyId] = this.written.keys
    return this.#do({
      method: 'DELETE',
      path: `/api/v1/auth/api-keys/${keyId}`,
      apply: () => {
        this.written.keys.shift()
      },
    })
  }

  /** One write; false when it could not be told whether it happened. */
  next(): Promise<boolean> {
    const step = this.#step++
    const kind = this.#kinds[step % this.#kinds.length] as (step: number) => Promise<boolean>
    return kind(step)
  }

  /** Writes until the server is gone, or `stopped`. */
  async run(stopped: () => boolean): Promise<void> {
    while (!stopped()) if (!(await this.next())) return
  }

  /** Sends the call that was cut off once more, until it is answered. */
  async settle(): Promise<void> {
    for (let attempt = 0; this.#pending && attempt < TRIES; attempt++)
      if (!(await this.#send(this.#pending))) await sleep(50)
    if (this.#pending) throw new Error(`${this.#pending.path} was not answered any more`)
  }

  stored() {
    return this.written.stored((path) => this.get(path), this.#library?.cardId ?? '')
  }
}

/** The call that was cut off has had its effect: the version is the next one, or what it deletes is gone. */
const wasDoneBefore = ({ method }: Call, status: number): boolean =>
  (method === 'PATCH' && status === 412) || (method === 'DELETE' && status === 404)
