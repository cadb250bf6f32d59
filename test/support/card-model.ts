/** The rules of cards in their smallest form. The property test compares the product with it. */
export type Actor = 0 | 1 | 2 | 3

/** Actor 0 is admin of the team, 1 editor, 2 viewer, 3 a stranger. */
const ROLE = ['admin', 'editor', 'viewer', undefined] as const
const RANK = { admin: 3, editor: 2, viewer: 1 } as const

export type WorkspaceName = 'home' | 'team' | 'library'
export type Kind = 'useful' | 'not_applicable' | 'outdated'

export type ModelCard = {
  owner: Actor
  origin: WorkspaceName
  workspace: WorkspaceName
  published: boolean
  good: boolean
  version: number
  earned: boolean
  deleted: boolean
  feedback: Map<Actor, Kind>
  rewardedBy: Set<Actor>
}

export type Command =
  | { do: 'record'; by: Actor; workspace: 'home' | 'team'; good: boolean }
  | { do: 'update'; by: Actor; card: number; good: boolean }
  | { do: 'share' | 'unpublish' | 'delete' | 'undelete'; by: Actor; card: number }
  | { do: 'publish'; by: Actor; card: number; target: 'library' | 'team' }
  | { do: 'feedback'; by: Actor; card: number; kind: Kind }

const REWARDS_A_DAY = 20

export class Model {
  readonly cards: ModelCard[] = []
  readonly credits: [number, number, number, number] = [0, 0, 0, 0]
  readonly rewardsGiven: [number, number, number, number]

  constructor(rewardsGiven: [number, number, number, number]) {
    this.rewardsGiven = rewardsGiven
  }

  #rankIn(actor: Actor, card: ModelCard, workspace = card.workspace): number {
    if (workspace === 'home') return card.owner === actor ? 3 : 0
    const role = workspace === 'team' ? ROLE[actor] : undefined
    return role ? RANK[role] : 0
  }

  /** What a workspace publishes stays its members'. */
  #isPublishedFromOwn(actor: Actor, card: ModelCard): boolean {
    return card.published && card.workspace === 'library' && this.#rankIn(actor, card, card.origin) > 0
  }

  /** Strangers see what has passed its review. */
  #isOpen(card: ModelCard): boolean {
    return card.published && card.workspace === 'library' && card.good
  }

  mayRead(actor: Actor, card: ModelCard): boolean {
    if (card.deleted) return false
    if (card.owner === actor || this.#rankIn(actor, card) >= RANK.editor) return true
    if (this.#isPublishedFromOwn(actor, card)) return true
    return card.published && (this.#isOpen(card) || this.#rankIn(actor, card) > 0)
  }

  mayEdit(actor: Actor, card: ModelCard): boolean {
    return !card.deleted && (card.owner === actor || this.#rankIn(actor, card) >= RANK.editor)
  }

  #administers(actor: Actor, card: ModelCard): boolean {
    return card.owner === actor || this.#rankIn(actor, card) === RANK.admin
  }

  isListed(actor: Actor, card: ModelCard, scope: 'personal' | 'workspace' | 'public'): boolean {
    if (card.deleted) return false
    if (scope === 'personal') return card.owner === actor
    if (scope === 'public') return this.#isOpen(card)
    if (this.#isPublishedFromOwn(actor, card)) return true
    return this.#rankIn(actor, card) > 0 && (card.published || card.owner === actor)
  }

  /** Applies the command and tells the status that the product must answer. */
  apply(command: Command): number {
    if (command.do === 'record') return this.#record(command)
    const card = this.cards[command.card]
    if (!card) throw new Error('The test made no such card')
    const { by } = command
    if (command.do === 'undelete') {
      if (!card.deleted || !this.#administers(by, card)) return 404
      card.deleted = false
      return 200
    }
    if (!this.mayRead(by, card)) return 404
    switch (command.do) {
      case 'update':
        if (!this.mayEdit(by, card)) return 403
        card.version++
        card.good = command.good
        return 200
      case 'share':
        if (!this.mayEdit(by, card)) return 403
        card.published = true
        return 200
      case 'unpublish':
        if (card.owner !== by) return 403
        if (card.published) card.workspace = card.origin
        card.published = false
        return 200
      case 'delete':
        if (!this.#administers(by, card)) return 403
        card.deleted = true
        return 204
      case 'publish':
        return this.#publish(by, card, command.target)
      case 'feedback':
        return this.#feedback(by, card, command.kind)
    }
  }

  #record({ by, workspace, good }: Extract<Command, { do: 'record' }>): number {
    const role = ROLE[by]
    if (workspace === 'team' && !role) return 404
    if (workspace === 'team' && role === 'viewer') return 403
    this.cards.push({
      owner: by,
      origin: workspace,
      workspace,
      published: false,
      good,
      version: 1,
      earned: false,
      deleted: false,
      feedback: new Map(),
      rewardedBy: new Set(),
    })
    return 201
  }

  #publish(by: Actor, card: ModelCard, target: 'library' | 'team'): number {
    if (card.owner !== by) return 403
    if (target === 'team' && !ROLE[by]) return 404
    if (target === 'team' && ROLE[by] === 'viewer') return 403
    if (card.published && card.workspace === target) return 200
    if (!card.good) return 400
    card.published = true
    card.workspace = target
    if (target === 'library' && !card.earned) {
      card.earned = true
      this.credits[by] += 5
    }
    return 200
  }

  #feedback(by: Actor, card: ModelCard, kind: Kind): number {
    card.feedback.set(by, kind)
    const earns = kind === 'useful' && card.owner !== by && !card.rewardedBy.has(by)
    if (earns && this.rewardsGiven[by] < REWARDS_A_DAY) {
      this.rewardsGiven[by]++
      card.rewardedBy.add(by)
      this.credits[card.owner]++
    }
    return 201
  }
}
