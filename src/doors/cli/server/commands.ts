import type { Command } from 'commander'
import type { Done } from '../commands.ts'
import { EXIT } from '../exit-codes.ts'

export function addServerCommands(program: Command, done: Done): void {
  const command = (usage: string, description: string) => program.command(usage).description(description)

  command('start', 'run the service here (configured by environment, as npm start)')
    .alias('serve')
    .action(() =>
      done(async () => {
        await import('../../../main.ts')
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
  command('reindex', 'rebuild the search indexes').action(() =>
    done(async () => (await import('./maintenance.ts')).reindexVault()),
  )
  command('rescan', 'apply the present redaction rules to stored text')
    .option('--dry-run', 'only count what would be replaced')
    .action((options) => done(async () => (await import('./maintenance.ts')).rescanVault(options)))
  command('rotate-library-key', 'sign snapshots of the library by a new key from now on').action(() =>
    done(async () => (await import('./maintenance.ts')).rotateLibraryKey()),
  )
  command('secret-key', 'the key that seals mails and other secrets in the database')
    .command('change')
    .description('seal everything by a new key, while no server runs')
    .option('--key-file <file>', 'a file with the new key (- is standard input); without it, one is made')
    .action((options) => done(async () => (await import('./maintenance.ts')).changeKeyOfVault(options)))
  addAdminCommands(command('admin', 'say who administers the service configured here'), done)
}

function addAdminCommands(admin: Command, done: Done): void {
  admin
    .command('grant <email>')
    .description(
      'make somebody service admin; asks before it takes sessions and keys from an account whose address nobody has proved',
    )
    .option('--keep-access', 'do not ask: the account keeps its sessions, keys and password')
    .option(
      '--take-access',
      'do not ask: end them where nobody has proved the address, and print a link for a password',
    )
    .action((email, options) => done(async () => (await import('./admin.ts')).grant(email, options)))
  admin
    .command('revoke <email>')
    .description('revoke it')
    .action((email) => done(async () => (await import('./admin.ts')).revoke(email)))
  admin
    .command('list')
    .description('list the service admins')
    .action(() => done(async () => (await import('./admin.ts')).list()))
  admin
    .command('reset-link <email>')
    .description('print a link for choosing a new password, for a server without mail')
    .action((email) => done(async () => (await import('./admin.ts')).resetLink(email)))
  admin
    .command('appoint <workspace-id> <email>')
    .description('make a member admin of a workspace that has none left')
    .action((id, email) => done(async () => (await import('./admin.ts')).appoint(id, email)))
}
