import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { startVault } from './support/servers.ts'

/** Start to first answer, and resident memory, of an empty vault on the embedded engine. */
function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1024
  }
}

const rounds: { ms: number; mb: number }[] = []
for (let round = 0; round < 5; round++) {
  const begin = performance.now()
  const server = await startVault()
  const ms = performance.now() - begin
  rounds.push({ ms: Math.round(ms), mb: Math.round(residentMb(server.pid)) })
  await server.stop()
}
console.table(rounds)
