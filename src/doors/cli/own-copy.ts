import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownDataFolder } from './folders.ts'
import { replaceFile } from './replace-file.ts'

const HERE = fileURLToPath(import.meta.url)
/** The package of the command is bundled; the server and the checkout have this file by its own name. */
const IS_PACKAGE = ['cli.js', 'hook.js'].includes(basename(HERE))
const PARTS = ['package.json', 'kvault.js', 'cli.js', 'hook.js', 'hook-later.js', 'hook-outgoing.js']

const copyFolder = () => join(ownDataFolder(), 'cli')

/** A permanent copy. The running one may be in the cache of npx, which npm can delete at any time. */
function lastingProgram(): string {
  if (IS_PACKAGE) return join(copyFolder(), 'kvault.js')
  const root = join(dirname(HERE), '..', '..', '..')
  const ofCheckout = join(root, 'bin', 'kvault.js')
  // The server's package contains the built command.
  return existsSync(ofCheckout) ? ofCheckout : join(root, 'packages', 'cli', 'kvault.js')
}

/** For clients and hooks that start the command themselves: full paths, because they have no PATH of a shell. */
export const ownCommand = (...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [lastingProgram(), ...args],
})

/** Hooks start the copy at any moment, so each part is replaced as a whole. Nobody else may write what they execute. */
export function keepOwnCopy(): void {
  if (!IS_PACKAGE || dirname(HERE) === copyFolder()) return
  mkdirSync(copyFolder(), { recursive: true, mode: 0o755 })
  for (const part of PARTS)
    replaceFile(join(copyFolder(), part), readFileSync(join(dirname(HERE), part), 'utf8'), 0o644)
}

/** The vault that handed out this package, if one did. */
export function vaultOfPackage(): string | undefined {
  if (!IS_PACKAGE) return undefined
  try {
    const { vault } = JSON.parse(readFileSync(join(dirname(HERE), 'package.json'), 'utf8'))
    return typeof vault === 'string' ? vault : undefined
  } catch {
    return undefined
  }
}

/** What npx keeps for the address of this package, if it has started it. */
export function npxFolder(): string | undefined {
  const parts = HERE.split(sep)
  const at = parts.lastIndexOf('_npx')
  return at < 0 ? undefined : parts.slice(0, at + 2).join(sep)
}

/** How messages name this command: npx leaves no `kvault` behind, so there it is the call that the vault hands out. */
export const KVAULT = npxFolder() && vaultOfPackage() ? `npx -y ${vaultOfPackage()}/kvault.tgz` : 'kvault'

/** The version of the permanent copy, if there is one. */
export function versionOfCopy(): string | undefined {
  try {
    return JSON.parse(readFileSync(join(copyFolder(), 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}
