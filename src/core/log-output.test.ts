import { openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, test, vi } from 'vitest'
import { fastFolder } from '../../test/support/fast-folder.ts'
import { LogOutput } from './log.ts'

const file = join(fastFolder(), `knowledge-vault-log-${process.pid}`)
afterAll(() => rmSync(file, { force: true }))

test('lines come whole and in order, however many wait', async () => {
  const output = new LogOutput(openSync(file, 'w'))
  const lines = Array.from({ length: 2000 }, (_, i) => `line ${i} ä 🧪\n`)
  for (const line of lines) output.write(line)
  await vi.waitUntil(() => readFileSync(file, 'utf8') === lines.join(''), { timeout: 30_000 })
})
