import { largeSum, type Migration } from './statements.ts'

/** Uses of all nodes by hashed key, until `expire` in ms since 1970. The order of the columns is that of the library. */
export const rateLimits: Migration = {
  name: '0002-rate-limits',
  statements: (engine) => [
    `create table rate_limits (
      key text primary key,
      points integer not null,
      expire ${largeSum(engine)} not null
    )`,
  ],
}
