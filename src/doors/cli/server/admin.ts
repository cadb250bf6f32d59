import type { Ctx } from '../../../core/context.ts'
import { AppError } from '../../../core/errors.ts'
import { opensElsewhere } from '../../../core/own-addresses.ts'
import { Email, Id } from '../../../core/schemas.ts'
import {
  appointAdmin,
  grantAdmin,
  grantedAdmins,
  isUnproven,
  resetLinkFor,
  revokeAdmin,
} from '../../../features/workspaces/index.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { isInteractive, print, question } from '../terminal.ts'
import { explained, withVault } from './maintenance.ts'

/** Operator commands that grant and remove administrator rights, directly on the database. */

const LINK_NOTE = 'The link works once, for one hour.'

/** Says that the link may open nowhere: this command knows the address of the vault from the settings alone. */
const linkNotes = ({ config: { baseUrl } }: Ctx): string[] =>
  opensElsewhere(new URL(baseUrl).hostname)
    ? [LINK_NOTE]
    : [
        LINK_NOTE,
        `It begins with ${baseUrl}. If people use another address, set BASE_URL here as for the server, and run this again.`,
      ]

function checked(schema: typeof Email | typeof Id, text: string, what: string): string {
  const parsed = schema.safeParse(text)
  if (!parsed.success) throw new CommandError(`${text} is no ${what}.`, EXIT.usage)
  return parsed.data
}

const onVault = (work: (ctx: Ctx) => Promise<string[]>): Promise<number> =>
  explained(() =>
    withVault(async (ctx) => {
      try {
        for (const line of await work(ctx)) print(line)
        return EXIT.done
      } catch (error) {
        if (error instanceof AppError) throw new CommandError(error.message)
        throw error
      }
    }),
  )

type GrantOptions = { keepAccess?: boolean; takeAccess?: boolean }

const UNPROVEN = (address: string) =>
  `Nobody has confirmed ${address}: whoever registered the account may be a stranger.`

/** Asks before access is removed. A script needs an option; without one, the access is kept. */
async function takesAccess(ctx: Ctx, address: string, options: GrantOptions): Promise<boolean> {
  if (options.keepAccess && options.takeAccess)
    throw new CommandError('Give --keep-access or --take-access, not both.', EXIT.usage)
  if (options.keepAccess || options.takeAccess || !(await isUnproven(ctx, address)))
    return options.takeAccess === true
  if (!isInteractive()) {
    process.stderr.write(
      `${UNPROVEN(address)} It keeps its sessions and keys. To take them, run the command again with --take-access.\n`,
    )
    return false
  }
  print(UNPROVEN(address))
  return /^y(es)?$/i.test(await question('Sign it out everywhere, and end its keys and password? [y/N] '))
}

export const grant = (given: string, options: GrantOptions): Promise<number> =>
  onVault(async (ctx) => {
    const address = checked(Email, given, 'e-mail address')
    const { isNew, link } = await grantAdmin(ctx, address, await takesAccess(ctx, address, options))
    const granted = `${address} is now service admin${isNew ? ', with a new account' : ''}.`
    if (link === undefined) return [granted]
    const why = isNew
      ? 'Choose its password:'
      : 'The account was signed out everywhere, and its keys are gone. Choose its password:'
    return [granted, `${why} ${link}`, ...linkNotes(ctx)]
  })

export const revoke = (given: string): Promise<number> =>
  onVault(async (ctx) => {
    const address = checked(Email, given, 'e-mail address')
    await revokeAdmin(ctx, address)
    return [`${address} is no longer service admin.`]
  })

export const list = (): Promise<number> =>
  onVault(async (ctx) => {
    const granted = await grantedAdmins(ctx)
    const named = ctx.config.adminEmails.map(
      (email) => `${email}  by ADMIN_EMAILS, once the address is confirmed`,
    )
    return [...granted.map((email) => `${email}  granted`), ...named]
  })

export const resetLink = (given: string): Promise<number> =>
  onVault(async (ctx) => [
    await resetLinkFor(ctx, checked(Email, given, 'e-mail address')),
    ...linkNotes(ctx),
  ])

export const appoint = (workspace: string, given: string): Promise<number> =>
  onVault(async (ctx) => {
    const address = checked(Email, given, 'e-mail address')
    const name = await appointAdmin(ctx, checked(Id, workspace, 'workspace id'), address)
    return [`${address} is now admin of ${name}.`]
  })
