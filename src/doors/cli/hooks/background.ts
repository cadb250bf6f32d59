import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Starts this program again to send what waits, and does not wait for it: an agent that calls a hook at the end of an exchange
 * goes on at once, also where the vault is slow or away.
 */
export function sendInBackground(): void {
  const [, program] = process.argv
  if (!program) return
  // Most hooks start nothing, so they do not load this.
  const { spawn }: typeof import('node:child_process') = require('node:child_process')
  const child = spawn(process.execPath, [program, 'hook', 'send'], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  // A machine that starts no more programs sends at the next hook.
  child.once('error', () => {})
  child.unref()
}
