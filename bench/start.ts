import { median } from './support/load.ts'
import { report } from './support/report.ts'
import { residentMb, startVault } from './support/servers.ts'

/** Start to first answer, and resident memory, of an empty vault on the embedded engine. */
const rounds: { ms: number; mb: number }[] = []
for (let round = 0; round < 5; round++) {
  const begin = performance.now()
  const server = await startVault()
  const ms = performance.now() - begin
  rounds.push({ ms: Math.round(ms), mb: Math.round(residentMb(server.pid)) })
  await server.stop()
}
console.table(rounds)
report([
  { what: 'empty vault: start to first answer', measured: `${median(rounds.map(({ ms }) => ms))} ms` },
  { what: 'empty vault: resident memory', measured: `${median(rounds.map(({ mb }) => mb))} MB` },
])
