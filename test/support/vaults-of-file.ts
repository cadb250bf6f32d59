import { afterAll } from 'vitest'

type Closable = { down: () => Promise<void> }

const opened = new Map<string, Closable>()

/** The one vault of the running test file that has this name; made when it is first asked for. */
export function vaultOfFile<T extends Closable>(name: string, make: () => T): T {
  const vault = (opened.get(name) as T | undefined) ?? make()
  opened.set(name, vault)
  return vault
}

/** For a setup file of vitest: closes them after each test file, since a process runs many. */
export function closeVaultsAfterFile(): void {
  afterAll(async () => {
    const vaults = [...opened.values()]
    opened.clear()
    for (const vault of vaults) await vault.down()
  })
}
