import type { McpClient } from '../clients/client.ts'
import { ClientError, EXIT } from '../exit-codes.ts'
import { warn } from '../terminal.ts'

/**
 * All clients one after the other. The file of one does not stop the others; what concerns all of them does, such as a
 * sign-in that was declined.
 */
export async function forEachClient(
  clients: readonly McpClient[],
  run: (client: McpClient) => Promise<void>,
): Promise<number> {
  const failed: { title: string; error: ClientError }[] = []
  for (const client of clients)
    try {
      await run(client)
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      failed.push({ title: client.title, error })
    }
  for (const { error } of failed) warn(error.message)
  if (failed.length > 0 && clients.length > 1) warn(`Failed: ${failed.map(({ title }) => title).join(', ')}.`)
  return failed[0]?.error.exitCode ?? EXIT.done
}
