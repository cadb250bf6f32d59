/** The filters of a list of cards, as the address bar holds them. */
export type ListState = {
  scope?: 'workspace' | undefined
  workspace?: string | undefined
  status?: 'published' | 'unpublished' | undefined
  track?: 'debug' | 'build' | undefined
  q?: string | undefined
  page?: number | undefined
}

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined
const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((one) => one === value)

export const readListState = (raw: Record<string, unknown>): ListState => ({
  scope: oneOf(raw.scope, ['workspace']),
  workspace: text(raw.workspace),
  status: oneOf(raw.status, ['published', 'unpublished']),
  track: oneOf(raw.track, ['debug', 'build']),
  q: text(raw.q),
  page: Number.isInteger(raw.page) && Number(raw.page) > 1 ? Number(raw.page) : undefined,
})

/** The page of a card says which merged card somebody asked for. */
export type CardState = { merged_from?: string | undefined }

export const readCardState = (raw: Record<string, unknown>): CardState => ({
  merged_from: text(raw.merged_from),
})

/** The draft of a new card, or what it is made from: an event of one's own memory, and others of the same exchange. */
export type NewCardState = {
  draft?: string | undefined
  from?: string | undefined
  also?: string | undefined
}

export const readNewCardState = (raw: Record<string, unknown>): NewCardState => ({
  draft: typeof raw.draft === 'string' && /^[\w-]{1,64}$/.test(raw.draft) ? raw.draft : undefined,
  from: text(raw.from),
  also: text(raw.also),
})
