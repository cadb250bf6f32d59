import { expect, test, vi } from 'vitest'
import { type ServerProcess, spawnServer, untilReady } from '../support/process.ts'

const WARNING = 'Another server runs on the data folder'

async function greeted(server: ServerProcess): Promise<string> {
  await untilReady(server)
  await vi.waitUntil(() => server.output().includes('/docs'), { timeout: 30_000 })
  // The warnings come after the greeting.
  await vi.waitUntil(() => server.output().includes('Warning'), { timeout: 500 }).catch(() => {})
  return server.output()
}

test('a second server on one folder says so and serves; commands, a start after a crash and workers say nothing', async () => {
  const first = await spawnServer()
  expect(await greeted(first)).not.toContain(WARNING)
  const second = await spawnServer({ DATA_DIR: first.dataDir })
  expect(await greeted(second)).toContain(`Warning: ${WARNING} ${first.dataDir}.`)
  const command = await first.kvault('verify')
  expect([command.code, command.stderr]).toEqual([0, ''])
  await second.stop()

  const { pid } = first.child
  if (pid) process.kill(-pid, 'SIGKILL')
  await first.exited
  const third = await spawnServer({ DATA_DIR: first.dataDir, WORKERS: '2' })
  expect(await greeted(third)).not.toContain(WARNING)
  await third.stop()
  third.remove()
})
