// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by their fields
export type Body = any

export type WrittenCard = { version: number; status: string; word: string; rewarded: boolean }

/** All that one writer was told is done, and how to ask the vault for the same. */
export class Written {
  readonly cards = new Map<string, WrittenCard>()
  readonly deleted = new Map<string, WrittenCard>()
  /** Turns that can still be deleted. */
  readonly turns: string[] = []
  readonly workspaces: string[] = []
  readonly invited: string[] = []
  readonly keys: string[] = []
  events = 0
  facts = ''
  language = 'en'
  materials = 0
  rewards = 0
  charges = 0
  redeemed = 0
  feedback: { kind: string; comment: string } | undefined

  expected() {
    return {
      cards: [...this.cards].map(([id, { version, status }]) => [id, version, status]).sort(),
      bonuses: 1,
      rewards: this.rewards,
      charges: this.charges,
      balance: 100 + this.redeemed + 5 * this.rewards - 5 * this.charges,
      events: this.events,
      facts: this.facts,
      language: this.language,
      keys: this.keys.toSorted(),
      materials: this.materials,
      workspaces: this.workspaces.length,
      invited: this.invited.toSorted(),
      feedback: this.feedback,
    }
  }

  /** What the vault says it has, in the same form. */
  async stored(get: (path: string) => Promise<Body>, publicCard: string) {
    const all = async (path: string): Promise<Body[]> => {
      const found: Body[] = []
      for (let page = 1; ; page++) {
        const { items } = await get(`${path}${path.includes('?') ? '&' : '?'}page=${page}&page_size=100`)
        found.push(...items)
        if (items.length < 100) return found
      }
    }
    const cards = await all('/api/v1/cards?scope=personal')
    const ledger = await all('/api/v1/credits/history')
    const count = (reason: string) => ledger.filter((entry) => entry.reason === reason).length
    const { balance } = await get('/api/v1/credits/balance')
    const snapshot = await get('/api/v1/project-context/snapshot?project_key=example/faults')
    const { total: workspaces } = await get('/api/v1/workspaces?include_public=false')
    const [team] = this.workspaces
    const invites: Body[] = team ? await get(`/api/v1/workspaces/${team}/invites`) : []
    const [feedback] = (await get(`/api/v1/cards/${publicCard}/feedback`)).items
    return {
      cards: cards.map((card) => [card.card_id, card.version, card.status]).sort(),
      bonuses: count('signup_bonus'),
      rewards: count('publish_reward'),
      charges: count('public_search'),
      balance,
      events: snapshot.total_events,
      facts: snapshot.facts?.content ?? '',
      language: (await get('/api/v1/user/settings')).language,
      keys: (await get('/api/v1/auth/api-keys')).map((key: Body) => key.key_id).sort(),
      materials: (await all('/api/v1/raw-materials')).length,
      workspaces: workspaces - 1,
      invited: invites.map((invite) => invite.email).sort(),
      feedback: feedback && { kind: feedback.kind, comment: feedback.comment },
    }
  }
}
