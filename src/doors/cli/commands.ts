import { Command, CommanderError } from 'commander'
import { VERSION } from '../../core/version.ts'
import { EXIT } from './exit-codes.ts'
import { reportError } from './terminal.ts'

const collect = (value: string, before: string[] = []) => [...before, value]

const KEY = 'API key (default: KVAULT_API_KEY, then the one signed in with)'
/** Help text for the option that names the vault (see `urlToJoin`). */
const VAULT_TO_JOIN =
  'the vault (default: KVAULT_URL, then the one that handed out this command, then the one signed in to)'

/** Adds the commands for users. Each loads its code on demand, for a fast start. */
export function addCommands(program: Command, done: Done): void {
  const command = (usage: string, description: string) => program.command(usage).description(description)
  const vaultCommand = (usage: string, description: string) =>
    command(usage, description)
      .option('--url <url>', 'the vault (default: KVAULT_URL, then the one signed in to)')
      .option('--key <key>', KEY)

  addConnecting(command, vaultCommand, done)
  addUsing(vaultCommand, done)
  addHomes(command, vaultCommand, done)
  addChecking(vaultCommand, done)
  addLearning(vaultCommand, done)
  addHooks(command, done)
  addLibrary(command, done)
  command('completion <shell>', 'completion script for bash, zsh or fish').action((shell) =>
    done(async () => {
      process.stdout.write(`${(await import('./connect/clients.ts')).completionScript(shell, program)}\n`)
      return EXIT.done
    }),
  )
}

type MakeCommand = (usage: string, description: string) => Command

function addConnecting(command: MakeCommand, vaultCommand: MakeCommand, done: Done): void {
  command('connect [clients...]', 'connect the agents of this computer, or the named ones')
    .option('--url <url>', VAULT_TO_JOIN)
    .option('--key <key>', KEY)
    .option('--dry-run', 'show the changes, write nothing')
    .option('--yes', 'do not ask; nothing is shared without --share, no history is read without --learn')
    .option('--http', 'allow plain http to another machine')
    .option(
      '--all-tools',
      'all tools instead of the core ones; tick publishing and members on the consent page',
    )
    .option('--device', 'sign in by a code that you type in a browser elsewhere (over SSH by itself)')
    .option('--share <id>', 'share what you and your agents record with this private team')
    .option('--no-share', 'keep what they record private')
    .option('--auth <way>', 'key, or oauth for clients that sign in by themselves (default: what suits each)')
    .option('--workspace <id>', 'where the agents put the cards they record (default: your personal one)')
    .option('--learn', 'learn the history of each repository in the background when a session starts in it')
    .option('--no-learn', 'read no history of repositories')
    .option('--no-hooks', 'only the entry, without the hooks that bring the vault to the agent')
    .option('--print', 'print entries to copy instead')
    .action((clients, options) =>
      done(async () => (await import('./connect/connect.ts')).connect(clients, options)),
    )
  command('disconnect [clients...]', 'undo connect, and delete the key that was made for it')
    .option('--dry-run', 'show the changes, write nothing')
    .option('--yes', 'do not ask')
    .action((clients, options) =>
      done(async () => (await import('./connect/connect.ts')).disconnect(clients, options)),
    )
  vaultCommand('doctor', 'check server, credential, clients and hooks, and say what to do')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./doctor.ts')).doctor(options)))
  command('login', 'sign in by the browser and keep an API key in your configuration folder')
    .option('--url <url>', VAULT_TO_JOIN)
    .option('--key <key>', 'keep this API key instead')
    .option('--email <email>', 'sign in by password instead')
    .option('--password-stdin', 'read the password from standard input')
    .option('--device', 'sign in by a code that you type in a browser elsewhere (over SSH by itself)')
    .option('--all-tools', 'with --email: a key that may also publish and manage members')
    .option('--http', 'allow plain http to another machine')
    .action((options) => done(async () => (await import('./sign-in.ts')).login(options)))
  command('logout', 'delete that key, here and at the vault')
    .option('--yes', 'do not ask')
    .action((options) => done(async () => (await import('./sign-in.ts')).logout(options)))
  vaultCommand('mcp', 'MCP server on standard input and output, bridging to the vault')
    .option('--core', 'only the tools that agents use every day')
    .action((options) =>
      done(async () => {
        await (await import('./bridge.ts')).bridge(options)
        return EXIT.done
      }),
    )
}

function addHooks(command: MakeCommand, done: Done): void {
  // `hook send` has no event: it sends the spool.
  command('hook <agent> [event]', 'the hooks of agents; the agents start it').action(() =>
    done(async () => {
      await import('./hooks/main.ts')
      return EXIT.done
    }),
  )
  command(
    'hooks [action] [names...]',
    'show what is off, or switch: on|off all, an agent, a moment, agent:moment',
  )
    .option('--json', 'as JSON')
    .action((action, names, options) =>
      done(async () => (await import('./connect/hooks-command.ts')).hooksCommand(action, names, options)),
    )
}

function addUsing(vaultCommand: MakeCommand, done: Done): void {
  vaultCommand('search <words...>', 'search cards')
    .option(
      '--scope <scope>',
      'personal, workspace or public (credits, where the server uses them; default: your cards and those of your teams)',
    )
    .option('--limit <n>', '1 to 20')
    .option('--tag <tag>', 'only with this tag; may be repeated', collect)
    .option('--no-environment', 'do not send the versions in the lock files here')
    .option('--json', 'as JSON')
    .action((words, options) => done(async () => (await import('./cards.ts')).search(words, options)))
  vaultCommand('whoami', 'the account and the vault of this command')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./status.ts')).whoami(options)))
  vaultCommand('status', 'account, vault, team and connected agents')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./status.ts')).status(options)))
  vaultCommand('show <card>', 'a whole card, with its evidence: its id, or its number in the last search')
    .option('--json', 'as JSON')
    .action((id, options) => done(async () => (await import('./card-actions.ts')).show(id, options)))
  vaultCommand('record', 'record a card')
    .option('--title <text>')
    .option('--symptom <text>', 'the problem or goal')
    .option('--fix <text>', 'the solution')
    .option('--type <type>', 'debug_fix, how_to, lesson_learned, decision or reference')
    .option('--root-cause <text>')
    .option('--tag <tag>', 'may be repeated', collect)
    .option(
      '--workspace <id>',
      'default: as .kvault.json, the key or your settings say, else your personal one',
    )
    .option('--file <file>', 'a card as JSON; - for standard input')
    .option('--share', 'share it with the team of its workspace at once')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./cards.ts')).record(options)))
  vaultCommand('share <card>', 'let a team read and find a card: its id, or its number in the last search')
    .option(
      '--workspace <id>',
      'the team, to which the card moves (default: the team it is in, else your only one)',
    )
    .option('--json', 'as JSON')
    .action((id, options) => done(async () => (await import('./card-actions.ts')).share(id, options)))
}

function addHomes(command: MakeCommand, vaultCommand: MakeCommand, done: Done): void {
  vaultCommand('workspaces', 'the workspaces that you are in, with their ids')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./workspaces.ts')).workspaces(options)))
  vaultCommand('allow-workspace <id>', 'let .kvault.json of projects name this workspace for new cards')
    .option('--yes', 'do not ask')
    .action((id, options) => done(async () => (await import('./project.ts')).allowWorkspace(id, options)))
  command('allow-project', 'let the .kvault.json of this folder name its project')
    .option('--yes', 'do not ask')
    .action((options) => done(async () => (await import('./project.ts')).allowProjectHere(options)))
  vaultCommand('context [project]', "a project's memory (default: the checkout you are in)")
    .option('--limit <n>', 'recent events, 1 to 100')
    .option('--json', 'as JSON')
    .action((project, options) => done(async () => (await import('./project.ts')).context(project, options)))
  vaultCommand(
    'outdated <event-id>',
    'mark an event of your memory as outdated, so that recall leaves it out',
  )
    .option('--wrong', 'it was never true')
    .option('--passage <text>', 'only these sentences of it')
    .option('--undo', 'take its marks back')
    .option('--json', 'as JSON')
    .action((id, options) => done(async () => (await import('./marks.ts')).outdated(id, options)))
}

function addChecking(vaultCommand: MakeCommand, done: Done): void {
  vaultCommand('check [path]', 'say which cards fit the lock files and the code of this checkout')
    .option('--cite <file:line>', 'print how a card cites this line, and check nothing')
    .option('--json', 'as JSON')
    .action((path, options) => done(async () => (await import('./check.ts')).check(path, options)))
  vaultCommand('verify-card <card>', 'give a verdict on a card: its id, or its number in the last search')
    .option('--worked', 'it solved it')
    .option('--failed', 'it did not solve it')
    .option('--stale', 'it is no longer true')
    .option(
      '--env <name=version>',
      'where you used it; may be repeated (default: the lock files here)',
      collect,
    )
    .option('--note <text>')
    .option('--evidence-file <file>', 'what you saw, such as the output; - for standard input')
    .option('--applied-in <project>', 'key of the project you used it in')
    .option('--json', 'as JSON')
    .action((id, options) => done(async () => (await import('./check.ts')).verifyCard(id, options)))
  vaultCommand('report <card>', 'report a card to its moderators: its id, or its number in the last search')
    .option('--kind <kind>', 'dangerous, instructions, secret, personal, wrong, spam or other')
    .option('--note <text>', 'what they should look at')
    .option('--json', 'as JSON')
    .action((id, options) => done(async () => (await import('./card-actions.ts')).reportCard(id, options)))
}

function addLearning(vaultCommand: MakeCommand, done: Done): void {
  vaultCommand('drafts [verb] [draft-id]', 'cards found in your own work: list, show, accept, edit, dismiss')
    .option('--status <status>', 'with list: open, accepted or dismissed')
    .option('--verdict', 'with accept: say that the card it looks like worked')
    .option('--card <id>', 'with --verdict: the card, if not that one')
    .option('--workspace <id>', 'with accept and edit: where the card goes')
    .option('--file <file>', 'with edit: the draft as JSON instead of your editor; - for standard input')
    .option('--json', 'as JSON')
    .action((verb, id, options) => done(async () => (await import('./drafts.ts')).drafts(verb, id, options)))
  vaultCommand(
    'learn',
    "hand over this repository's commits with a reason, records of decisions and changelogs",
  )
    .option('--pulls <file>', 'merged pull requests too: what `gh pr list --state merged --json …` wrote')
    .option('--forget', 'delete what was learned from this repository instead')
    .option(
      '--background <on|off>',
      'whether each session learns the repository that it starts in, by itself',
    )
    .option('--no-wait', 'do not wait until the vault has read it')
    .option('--dry-run', 'print what would be sent, send nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./learn.ts')).learn(options)))
  vaultCommand('mine', 'find problems that your agents solved in old sessions')
    .option('--agent <agent>', 'claude-code, codex, gemini or opencode (default: all)')
    .option('--since <span>', 'sessions of the last 30d, 12h or 4w (default: 30d)')
    .option('--dry-run', 'print what would be sent, send nothing')
    .option('--json', 'as JSON')
    .action((options) => done(async () => (await import('./mine.ts')).mine(options)))
}

/** Adds the library commands. There `--key` is the other server's key, and `--api-key` the caller's own. */
function addLibrary(command: MakeCommand, done: Done): void {
  command(
    'library <verb> <server>',
    'pull: take the library of another server, signed by it, into a workspace',
  )
    .option('--url <url>', 'your vault (default: KVAULT_URL, then the one signed in to)')
    .option('--api-key <key>', 'your API key (default: KVAULT_API_KEY, then the one signed in with)')
    .option('--workspace <id>', 'a private workspace to take the cards into (default: your personal one)')
    .option('--key <id|file>', 'the key that signs there: its id, or a file with it as PEM')
    .option('--dry-run', 'say what would be taken, write nothing')
    .option('--prune', 'delete here what is no longer in the library there and was not edited here')
    .option('--http', 'allow plain http to another machine')
    .option('--json', 'as JSON')
    .action((verb, server, options) =>
      done(async () => (await import('./library.ts')).library(verb, server, options)),
    )
}

type Action = () => Promise<number>

/** Registers a command's action, which runs after all arguments are parsed. */
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
