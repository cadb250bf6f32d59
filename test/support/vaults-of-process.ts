const kept = new Map<string, unknown>()

/**
 * The one vault of this process that has this name; made when it is first asked for. The process runs one test file after
 * another and ends with it: its folder and its database go when the run ends (global-setup.ts).
 */
export function vaultOfProcess<T>(name: string, make: () => T): T {
  const vault = (kept.get(name) as T | undefined) ?? make()
  kept.set(name, vault)
  return vault
}
