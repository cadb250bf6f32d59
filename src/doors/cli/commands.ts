import { Command, CommanderError } from 'commander'
import { VERSION } from '../../core/version.ts'
import { CommandError, EXIT } from './exit-codes.ts'

type Action = () => Promise<number>

const collect = (value: string, before: string[] = []) => [...before, value]

/** Each command's code is loaded when it is asked for, so that none waits for the others. */
export function buildProgram(done: (action: Action) => void): Command {
  const program = new Command('kvault')
    .description('The Knowledge Vault in a terminal: serve it, connect agents to it, use it.')
    .version(VERSION)
    .showHelpAfterError('(kvault --help lists the commands)')
    .exitOverride()

  const command = (usage: string, description: string) => program.command(usage).description(description)
  const vaultCommand = (usage: string, description: string) =>
    command(usage, description)
      .option('--url <url>', 'the vault (default: KVAULT_URL, then the one signed in to)')
      .option('--key <key>', 'API key (default: KVAULT_API_KEY, then the one signed in with)')

  command('serve', 'run the service here (configured by environment, as npm start)').action(() =>
    done(async () => {
      await import('../../main.ts')
      return EXIT.done
    }),
  )
  command('backup <file>', 'write a backup of the vault configured here, while it runs').action((file) =>
    done(async () => (await import('./maintenance.ts')).backup(file)),
  )
  command('restore <file>', 'fill an empty vault from a backup').action((file) =>
    done(async () => (await import('./maintenance.ts')).restore(file)),
  )
  command('verify [file]', 'check the vault configured here, or a backup file')
    .option('--json', 'as JSON')
    .action((file, options) => done(async () => (await import('./maintenance.ts')).verify(file, options)))
  command('reindex', 'make the search indexes anew').action(() =>
    done(async () => (await import('./maintenance.ts')).reindexVault()),
  )
  const admin = command('admin', 'say who administers the service configured here')
  admin
    .command('grant <email>')
    .description(
      'make somebody service admin; prints a link where the account is new or its address not proved',
    )
    .option('--keep-access', 'you vouch for whoever holds the account: sign nobody out, print no link')
    .action((email, options) => done(async () => (await import('./admin.ts')).grant(email, options)))
  admin
    .command('revoke <email>')
    .description('take that back')
    .action((email) => done(async () => (await import('./admin.ts')).revoke(email)))
  admin
    .command('list')
    .description('who is service admin')
    .action(() => done(async () => (await import('./admin.ts')).list()))
  admin
    .command('reset-link <email>')
    .description('print a link for choosing a new password, for a server without mail')
    .action((email) => done(async () => (await import('./admin.ts')).resetLink(email)))
  admin
    .command('appoint <workspace-id> <email>')
    .description('make a member admin of a workspace that has none left')
    .action((id, email) => done(async () => (await import('./admin.ts')).appoint(id, email)))
  vaultCommand('login', 'sign in and keep an API key in your configuration folder')
    .option('--email <email>', 'account to sign in with')
    .option('--password-stdin', 'read the password from standard input')
    .action((options) => done(async () => (await import('./sign-in.ts')).login(options)))
  command('logout', 'delete that key, here and at the vault').action(() =>
    done(async () => (await import('./sign-in.ts')).logout()),
  )
  for (const verb of ['connect', 'disconnect'] as const)
    vaultCommand(
      `${verb} <client>`,
      verb === 'connect' ? "write the vault into a client's MCP configuration" : 'undo exactly that',
    )
      .option('--dry-run', 'show the change, write nothing')
      .option('--yes', 'do not ask')
      .option('--print', 'print the entry instead (connect)')
      .action((client, options) => done(async () => (await import('./connect.ts'))[verb](client, options)))
  vaultCommand('mcp', 'MCP server on standard input and output, bridging to the vault').action((options) =>
    done(async () => {
      await (await import('./bridge.ts')).bridge(options)
      return EXIT.done
    }),
  )
  vaultCommand('doctor', 'check server, credential, scopes, clock and clients')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./doctor.ts')).doctor(options)))
  vaultCommand('search <words...>', 'search cards')
    .option('--scope <scope>', 'personal, workspace or public (5 credits on a hit)')
    .option('--limit <n>', '1 to 20')
    .option('--tag <tag>', 'only with this tag; may be repeated', collect)
    .option('--json', 'as JSON')
    .action((words, options) => done(async () => (await import('./cards.ts')).search(words, options)))
  vaultCommand('record', 'record a card')
    .option('--title <text>')
    .option('--symptom <text>', 'the problem or goal')
    .option('--fix <text>', 'the solution')
    .option('--type <type>', 'debug_fix, how_to, lesson_learned, decision or reference')
    .option('--root-cause <text>')
    .option('--tag <tag>', 'may be repeated', collect)
    .option('--workspace <id>', 'default: the one in your settings, else your personal one')
    .option('--file <file>', 'a card as JSON; - for standard input')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./cards.ts')).record(options)))
  vaultCommand('context [project]', "a project's memory (default: the checkout you are in)")
    .option('--limit <n>', 'recent events, 1 to 100')
    .option('--json', 'as JSON')
    .action((project, options) => done(async () => (await import('./project.ts')).context(project, options)))
  command('hook <event>', 'capture hooks for agents: session-start, stop').action((event) =>
    done(async () => (await import('./hook.ts')).hook(event)),
  )
  command('completion <shell>', 'completion script for bash, zsh or fish').action((shell) =>
    done(async () => {
      process.stdout.write(`${(await import('./completion.ts')).completionScript(shell, program)}\n`)
      return EXIT.done
    }),
  )
  return program
}

export async function run(argv: string[]): Promise<number> {
  let action: Action = async () => EXIT.done
  try {
    await buildProgram((chosen) => {
      action = chosen
    }).parseAsync(argv)
    return await action()
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (!(error instanceof CommandError)) throw error
    process.stderr.write(`${error.message}\n`)
    return error.exitCode
  }
}
