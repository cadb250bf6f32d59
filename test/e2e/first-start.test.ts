import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMPILED_BEFORE } from '../support/process.ts'

const PROCESSES = 3
const ROUNDS = 30

const said = (child: ChildProcess) => new Promise<unknown>((resolve) => child.once('message', resolve))

test('processes that make a new database at the same moment all open it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-test-'))
  const children = Array.from({ length: PROCESSES }, () =>
    fork(join(import.meta.dirname, 'open-child.ts'), { execArgv: COMPILED_BEFORE }),
  )
  try {
    await Promise.all(children.map(said))
    for (let round = 0; round < ROUNDS; round++) {
      const answers = children.map(said)
      for (const child of children) child.send(join(folder, `${round}.db`))
      expect(await Promise.all(answers), `round ${round}`).toEqual(children.map(() => 'opened'))
    }
  } finally {
    for (const child of children) child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
})
