import { retireKey } from '../../../features/library-sharing/signing-keys.ts'
import { EXIT } from '../exit-codes.ts'
import { print } from '../terminal.ts'
import { explained, withVault } from './maintenance.ts'

/** For a key that others may know. People who have pinned it must be told the next key by another channel. */
export const rotateLibraryKey = (): Promise<number> =>
  explained(() =>
    withVault(async (ctx) => {
      const retired = await retireKey(ctx)
      if (retired === undefined)
        print('No key signs snapshots yet. The service makes one with the first snapshot.')
      else {
        print(`Retired: ${retired}. The service makes a new key and a new snapshot within minutes.`)
        print(
          'Tell those who pull from this server the new key, which /.well-known/knowledge-vault.json lists.',
        )
      }
      return EXIT.done
    }),
  )
