import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { CommandError, EXIT } from '../exit-codes.ts'
import { KVAULT } from '../own-copy.ts'
import type { McpClient } from './client.ts'
import { CLIENTS } from './list.ts'

const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']

const isInPath = (program: string): boolean =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && ENDINGS.some((ending) => existsSync(join(folder, program + ending))))

const isInstalled = (client: McpClient): boolean =>
  existsSync(client.folder()) || (client.program !== undefined && isInPath(client.program))

/** The clients of this computer, in the order of the list. */
export const installedClients = (): McpClient[] => CLIENTS.filter(isInstalled)

export function findClient(name: string): McpClient {
  const client = CLIENTS.find((candidate) => candidate.name === name)
  if (client) return client
  const names = CLIENTS.map((candidate) => candidate.name).join(', ')
  throw new CommandError(
    `Unknown client "${name}". Known: ${names}. For any other: ${KVAULT} connect --print`,
    EXIT.usage,
  )
}
