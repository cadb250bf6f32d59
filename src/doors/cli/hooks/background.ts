import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Starts this program again to send the spool, and does not wait for it: an agent that calls a hook at the end of an exchange
 * continues at once, even if the vault is slow or unreachable.
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
  // If no program can be started, the next hook sends.
  child.once('error', () => {})
  child.unref()
}
