import type { Command } from 'commander'
import type { Done } from './commands.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { quietPipes } from './terminal.ts'

const OF_THE_SERVER = [
  'start',
  'serve',
  'backup',
  'restore',
  'verify',
  'reindex',
  'rescan',
  'rotate-library-key',
  'admin',
]

/** Adds hints for the server's commands, which the guide mentions. */
function pointToServer(program: Command, done: Done): void {
  for (const name of OF_THE_SERVER)
    program
      .command(`${name} [words...]`, { hidden: true })
      .allowUnknownOption()
      .action(() =>
        done(async () => {
          throw new CommandError(
            `"${name}" works on the data of a server and runs there: knowledge-vault ${name}`,
            EXIT.usage,
          )
        }),
      )
}

quietPipes()
if (process.argv[2] === 'mcp' && process.argv.length === 3) {
  const { bridge } = await import('./bridge.ts')
  await bridge().catch(async (error: unknown) => {
    process.exitCode = (await import('./terminal.ts')).reportError(error)
  })
} else {
  const [{ run }, { addCommands }] = await Promise.all([import('./commands.ts'), import('./commands.ts')])
  process.exitCode = await run('kvault', process.argv, [addCommands, pointToServer])
}
