import { ApiError } from '../../api/client.ts'

/** The card was deleted, is no longer shared with the person, or is only theirs to read. */
export const isOutOfReach = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 403 || error.status === 404)
