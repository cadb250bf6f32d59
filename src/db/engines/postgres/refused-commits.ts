import type pg from 'pg'

/** The coordinator's words when the only worker that was written to did not commit. It gives them no code of their own. */
const NOT_COMMITTED = /^could not commit transaction for shard/

type Query = (...args: unknown[]) => unknown

/**
 * When a worker refuses a commit, for instance as not serialisable, the coordinator sends its reason as a warning and then an
 * error that says nothing. The error gets the code of the warning, so that such a transaction runs again as any other. If the
 * worker has gone away there is no such warning: nobody knows whether it has committed, so nothing runs again.
 */
export function nameRefusedCommits(client: pg.ClientBase, isRefusal: (code: string) => boolean): void {
  let refusal: string | undefined
  client.on('notice', ({ code }) => {
    if (code !== undefined && isRefusal(code)) refusal = code
  })
  const query = client.query.bind(client) as Query
  const commit = async (...args: unknown[]) => {
    refusal = undefined
    try {
      return await query(...args)
    } catch (error) {
      if (refusal !== undefined && error instanceof Error && NOT_COMMITTED.test(error.message))
        Object.assign(error, { code: refusal })
      throw error
    }
  }
  const watched: Query = (...args) => (args[0] === 'commit' ? commit(...args) : query(...args))
  Object.assign(client, { query: watched })
}
