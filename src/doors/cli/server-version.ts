import { rmSync } from 'node:fs'
import { VERSION } from '../../core/version.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { npxFolder, vaultOfPackage } from './own-copy.ts'
import { ask } from './vault-client.ts'

export async function versionOf(url: string): Promise<string | undefined> {
  const { version } = ((await ask(url, '/health')).body ?? {}) as { version?: unknown }
  return typeof version === 'string' ? version : undefined
}

/**
 * npx asks the vault for its package, and then executes the one that it has of this address. After an upgrade of the vault
 * that is an old one for ever, and `connect` would copy it to where hooks start it. npm can make such a folder anew.
 */
export async function requireNewest(url: string): Promise<void> {
  const folder = npxFolder()
  if (folder === undefined || vaultOfPackage() !== url) return
  const version = await versionOf(url)
  if (version === undefined || version === VERSION) return
  rmSync(folder, { recursive: true, force: true })
  throw new CommandError(
    `npx had kept kvault ${VERSION}; ${url} has ${version}. The old one is deleted: repeat the command.`,
    EXIT.byHand,
  )
}
