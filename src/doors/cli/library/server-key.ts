import { createPublicKey } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { keyIdOf, type ListedKey, WELL_KNOWN } from '../../../features/library-sharing/format.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { readSmall } from './download.ts'
import type { Pin } from './pins.ts'

const KEY_ID = /^[0-9a-f]{64}$/

/** A key that the caller trusts: by its id, or by a file with the public key as PEM. */
export function wantedKeyId(given: string): string {
  if (KEY_ID.test(given)) return given
  if (!existsSync(given))
    throw new CommandError(`${given} is neither a key id of 64 hexadecimal digits nor a file.`, EXIT.usage)
  try {
    const { x, crv } = createPublicKey(readFileSync(given)).export({ format: 'jwk' })
    if (crv === 'Ed25519' && x) return keyIdOf(x)
  } catch {
    // Told below: whatever is wrong with it, it is no such key.
  }
  throw new CommandError(`${given} holds no Ed25519 public key as PEM.`, EXIT.usage)
}

async function listedKeys(server: string): Promise<ListedKey[]> {
  const listing = (await readSmall(`${server}${WELL_KNOWN}`)) as { keys?: unknown }
  const keys = Array.isArray(listing?.keys) ? (listing.keys as ListedKey[]) : []
  return keys.filter((key) => typeof key?.public_key === 'string' && keyIdOf(key.public_key) === key.key_id)
}

export type ServerKey = { pin: Pin; isNew: boolean }

/** The one key that this pull believes: the named one, or the pinned one, or the present one at the first pull. */
export async function serverKey(
  server: string,
  pin: Pin | undefined,
  named: string | undefined,
): Promise<ServerKey> {
  const keys = await listedKeys(server)
  const wanted = named === undefined ? pin?.keyId : wantedKeyId(named)
  const present = keys.find((key) => key.retired_at === null)
  if (!present) throw new CommandError(`${server} lists no key that signs snapshots.`)
  if (wanted !== undefined && present.key_id !== wanted)
    throw new CommandError(
      [
        `The key of ${server} is not the one that ${named === undefined ? 'was pinned at the first pull' : 'you named'}.`,
        `  ${named === undefined ? 'pinned' : 'named '}: ${wanted}`,
        `  now   : ${present.key_id}`,
        'Nothing was imported. Ask its operators, by another way, whether they changed it. If so:',
        `  kvault library pull ${server} --key ${present.key_id}`,
      ].join('\n'),
    )
  const isNew = pin?.keyId !== present.key_id
  const madeAt = pin?.madeAt
  return {
    pin: { keyId: present.key_id, publicKey: present.public_key, ...(madeAt ? { madeAt } : {}) },
    isNew,
  }
}
