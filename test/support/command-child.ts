import '../../bin/compile-cache.js'
import { Readable } from 'node:stream'
import { addCommands, run } from '../../src/doors/cli/commands.ts'
import { addServerCommands } from '../../src/doors/cli/server/commands.ts'
import type { CommandResult, GivenCommand } from './process.ts'

/** `kvault` in a process that stays for the next command, which finds the program loaded. It runs one at a time. */

/** The environment, the folder and the streams of this process become those of the command. */
async function runHere({ argv, env, cwd, input }: GivenCommand): Promise<CommandResult> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false })
  Object.defineProperty(process, 'stdin', { configurable: true, value: stdin })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (chunk: string | Uint8Array) => {
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      return true
    }
  process.argv = argv
  const code = await run('knowledge-vault', argv, [addServerCommands, addCommands])
  return { code, ...written }
}

let before: Promise<unknown> = Promise.resolve()

process.on('message', (given: GivenCommand) => {
  before = before.then(async () => process.send?.({ id: given.id, result: await runHere(given) }))
})
process.on('disconnect', () => process.exit())
