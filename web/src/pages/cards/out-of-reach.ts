import { ApiError } from '../../api/client.ts'

const MERGED = 'merged_already'

/** The card was deleted or merged into another, is no longer shared with the person, or is only theirs to read. */
export const isOutOfReach = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 403 || error.status === 404 || error.code === MERGED)

/** As the server refuses a change of a merged card. */
export const mergedInto = (cardId: string) =>
  new ApiError(
    409,
    { code: MERGED, detail: 'This card was merged into another.', into_card_id: cardId },
    new Headers(),
  )
