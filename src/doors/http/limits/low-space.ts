import type { FastifyRequest } from 'fastify'
import type { LimitClass, Method } from '../../../core/capability.ts'
import type { Services } from '../../../core/context.ts'
import { unavailable } from '../../../core/errors.ts'

const LONG_BODY_BYTES = 4096
const RETRY_AFTER_SECONDS = 60

/** Whether a route stores what it is sent. Sign-ins, searches and deletions go on while the disk is nearly full. */
export const storesText = (method: Method, limitClass: LimitClass): boolean =>
  method !== 'GET' && method !== 'DELETE' && (limitClass === 'write' || limitClass === 'support')

export const isLongBody = ({ bodyBytes }: FastifyRequest): boolean => bodyBytes > LONG_BODY_BYTES

/** Refuses a long write while the last space of the disk is reserved for small ones. */
export async function refuseWhileLow({ databaseSpace }: Services): Promise<void> {
  if (!(await databaseSpace.isLow())) return
  throw unavailable(
    'The disk of the server is nearly full: texts over 4 KB are not taken now. Reading, deleting and short texts go on.',
    RETRY_AFTER_SECONDS,
  )
}
