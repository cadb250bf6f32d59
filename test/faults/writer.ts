import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { goodCard } from '../support/cards.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by their fields
type Body = any
type Call = {
  method: 'POST' | 'PATCH'
  path: string
  body: unknown
  headers: Record<string, string>
  apply: (body: Body) => void
}

const TRIES = 600

/**
 * Writes of every kind, one after another, and remembers what was acknowledged. The call that a crash cut off is sent
 * again with its Idempotency-Key (or If-Match), so that afterwards everything must be there exactly once.
 */
export class Writer {
  readonly email = `writer-${randomUUID()}@example.com`
  readonly cards = new Map<string, { version: number; status: string; word: string }>()
  readonly #baseUrl: () => string
  readonly publicWord: string
  events = 0
  facts = ''
  keys = 0
  materials = 0
  workspaces = 0
  rewards = 0
  charges = 0
  acknowledged = 0
  #token = ''
  #pending: Call | undefined
  #step = 0

  constructor(baseUrl: () => string, publicWord: string) {
    this.#baseUrl = baseUrl
    this.publicWord = publicWord
  }

  async #send(call: Call): Promise<boolean> {
    const response = await fetch(this.#baseUrl() + call.path, {
      method: call.method,
      headers: {
        'content-type': 'application/json',
        ...(this.#token ? { authorization: `Bearer ${this.#token}` } : {}),
        ...call.headers,
      },
      body: JSON.stringify(call.body),
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (!response || text === undefined || response.status === 503) return false
    // The update that was cut off has been made: what it would have done is there.
    const done = response.ok || (response.status === 412 && call.method === 'PATCH')
    if (!done) throw new Error(`${call.method} ${call.path}: ${response.status} ${text}`)
    this.#pending = undefined
    call.apply(response.ok ? JSON.parse(text) : {})
    this.acknowledged += 1
    return true
  }

  #do(
    method: Call['method'],
    path: string,
    body: unknown,
    apply: Call['apply'],
    ifMatch?: number,
  ): Promise<boolean> {
    const headers: Record<string, string> =
      ifMatch === undefined ? { 'idempotency-key': randomUUID() } : { 'if-match': `"${ifMatch}"` }
    this.#pending = { method, path, body, headers, apply }
    return this.#send(this.#pending)
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
    await this.#do('POST', '/api/v1/auth/register', body, (answer) => {
      this.#token = answer.access_token
    })
  }

  #someCard(step: number): [string, { version: number; status: string; word: string }] | undefined {
    const unpublished = [...this.cards].filter(([, card]) => card.status === 'unpublished')
    return unpublished[step % Math.max(1, unpublished.length)]
  }

  /** One write; false when it could not be told whether it happened. */
  next(): Promise<boolean> {
    const step = this.#step++
    const card = this.#someCard(step)
    switch (step % 8) {
      case 0:
      case 4: {
        const word = randomUUID().replaceAll('-', '')
        return this.#do('POST', '/api/v1/cards', goodCard(word), (answer) =>
          this.cards.set(answer.card_id, { version: 1, status: 'unpublished', word }),
        )
      }
      case 1: {
        const facts = `fact ${step}`
        const turn = {
          project_key: 'example/faults',
          user_message: `m${step}`,
          agent_report: 'r',
          summary: 's',
          facts,
        }
        return this.#do('POST', '/api/v1/project-context/turns', turn, () => {
          this.events += 3
          this.facts = facts
        })
      }
      case 2: {
        if (!card) return Promise.resolve(true)
        const [id, { version }] = card
        return this.#do(
          'PATCH',
          `/api/v1/cards/${id}`,
          { scope_notes: `note ${step}` },
          () => {
            Object.assign(card[1], { version: version + 1 })
          },
          version,
        )
      }
      case 3:
        if (!card) return Promise.resolve(true)
        return this.#do('POST', `/api/v1/cards/${card[0]}/publish`, {}, () => {
          card[1].status = 'published'
          this.rewards += 1
        })
      case 5:
        return this.#do('POST', '/api/v1/search', { query: this.publicWord, scope: 'public' }, (answer) => {
          this.charges += answer.credits_charged > 0 ? 1 : 0
        })
      case 6:
        return this.#do('POST', '/api/v1/raw-materials', { content: `material ${step}` }, () => {
          this.materials += 1
        })
      default:
        return step % 16 === 7
          ? this.#do('POST', '/api/v1/auth/api-keys', { name: `key ${step}` }, () => {
              this.keys += 1
            })
          : this.#do('POST', '/api/v1/workspaces', { name: `Team ${step}` }, () => {
              this.workspaces += 1
            })
    }
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

  async #all(path: string): Promise<Body[]> {
    const found: Body[] = []
    for (let page = 1; ; page++) {
      const { items } = await this.get(`${path}${path.includes('?') ? '&' : '?'}page=${page}&page_size=100`)
      found.push(...items)
      if (items.length < 100) return found
    }
  }

  /** What the vault says it has, in the form of what was acknowledged. */
  async stored() {
    const cards = await this.#all('/api/v1/cards?scope=personal')
    const ledger = await this.#all('/api/v1/credits/history')
    const count = (reason: string) => ledger.filter((entry) => entry.reason === reason).length
    const { balance } = await this.get('/api/v1/credits/balance')
    const snapshot = await this.get('/api/v1/project-context/snapshot?project_key=example/faults')
    const { total: workspaces } = await this.get('/api/v1/workspaces?include_public=false')
    return {
      cards: cards.map((card) => [card.card_id, card.version, card.status]).sort(),
      bonuses: count('signup_bonus'),
      rewards: count('publish_reward'),
      charges: count('public_search'),
      balance,
      events: snapshot.total_events,
      facts: snapshot.facts?.content ?? '',
      keys: (await this.get('/api/v1/auth/api-keys')).length,
      materials: (await this.#all('/api/v1/raw-materials')).length,
      workspaces: workspaces - 1,
    }
  }

  expected() {
    return {
      cards: [...this.cards].map(([id, { version, status }]) => [id, version, status]).sort(),
      bonuses: 1,
      rewards: this.rewards,
      charges: this.charges,
      balance: 100 + 5 * this.rewards - 5 * this.charges,
      events: this.events,
      facts: this.facts,
      keys: this.keys,
      materials: this.materials,
      workspaces: this.workspaces,
    }
  }
}
