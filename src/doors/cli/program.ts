import { Command, CommanderError } from 'commander'
import { VERSION } from '../../core/version.ts'
import { EXIT } from './exit-codes.ts'
import { reportError } from './known-errors.ts'

type Action = () => Promise<number>

/** A command registers its action, which is executed after all arguments are read. */
export type Done = (action: Action) => void

export type AddCommands = (program: Command, done: Done) => void

export async function run(name: string, argv: string[], parts: readonly AddCommands[]): Promise<number> {
  let action: Action = async () => EXIT.done
  const program = new Command(name)
    .description('The Knowledge Vault in a terminal: connect agents to it, use it.')
    .version(VERSION)
    .showHelpAfterError(`(${name} --help lists the commands)`)
    .exitOverride()
  for (const add of parts)
    add(program, (chosen) => {
      action = chosen
    })
  try {
    await program.parseAsync(argv)
    return await action()
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    return reportError(error)
  }
}
