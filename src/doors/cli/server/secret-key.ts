import { ConfigError } from '../../../config.ts'
import { releaseFolders } from '../../../db/engines/sqlite/one-server.ts'
import { changeSecretKey } from '../../../secret-key.ts'
import { EXIT } from '../exit-codes.ts'
import { readGiven } from '../given-file.ts'
import { print } from '../terminal.ts'
import { explained, withVault } from './maintenance.ts'

const MIN_LENGTH = 32
const MAX_LENGTH = 10_000

async function keyIn(file: string): Promise<string> {
  const key = (await readGiven(file, MAX_LENGTH)).trim()
  if (key.length < MIN_LENGTH || key.length > MAX_LENGTH || /[\r\n]/.test(key))
    throw new ConfigError([`SECRET_KEY: ${file} must hold one line with at least ${MIN_LENGTH} characters`])
  return key
}

export const changeKeyOfVault = ({ keyFile }: { keyFile?: string }): Promise<number> =>
  explained(() =>
    withVault(async (ctx) => {
      const isInSettings = ctx.config.secretKey !== undefined
      if (isInSettings && keyFile === undefined)
        throw new ConfigError(['SECRET_KEY is set: put the new key into a file and name it with --key-file'])
      const given = keyFile === undefined ? undefined : await keyIn(keyFile)
      const changed = await changeSecretKey(ctx, given).finally(releaseFolders)
      print(
        `The secret key is now ${changed.fingerprint} (fingerprint). Sealed anew: ${changed.mails} waiting mails, ${changed.chats} chats with support, ${changed.signingKeys} keys for snapshots of the library.`,
      )
      print(
        isInSettings
          ? 'Set SECRET_KEY to the new key on every machine of this vault before you start it.'
          : `It is in ${changed.file}. Copy the file to every machine of this vault before you start it.`,
      )
      print('Take a new backup: earlier ones need the former key.')
      return EXIT.done
    }),
  )
