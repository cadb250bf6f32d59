import { createPublicKey } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { keyIdOf, type ListedKey, WELL_KNOWN } from '../../../features/library-sharing/format.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { KVAULT } from '../own-copy.ts'
import { readSmall } from './download.ts'
import type { Pin } from './pins.ts'

/** 32 bytes as base64url. */
const PUBLIC_KEY = /^[\w-]{43}$/
const KEY_ID = /^[0-9a-f]{64}$/

/** The id of the key that the caller trusts. They give the id itself, or a PEM file with the public key. */
function wantedKeyId(given: string): string {
  if (KEY_ID.test(given)) return given
  if (!existsSync(given))
    throw new CommandError(`${given} is neither a key id of 64 hexadecimal digits nor a file.`, EXIT.usage)
  try {
    const { x, crv } = createPublicKey(readFileSync(given)).export({ format: 'jwk' })
    if (crv === 'Ed25519' && x) return keyIdOf(x)
  } catch {
    // The error below covers every reason why the file is not such a key.
  }
  throw new CommandError(`${given} does not contain an Ed25519 public key as PEM.`, EXIT.usage)
}

async function listedKeys(server: string): Promise<ListedKey[]> {
  const listing = (await readSmall(`${server}${WELL_KNOWN}`)) as { keys?: unknown }
  const keys = Array.isArray(listing?.keys) ? (listing.keys as ListedKey[]) : []
  return keys.filter(
    (key) =>
      typeof key?.public_key === 'string' &&
      PUBLIC_KEY.test(key.public_key) &&
      keyIdOf(key.public_key) === key.key_id,
  )
}

export type ServerKey = { pin: Pin; isNew: boolean }

/** The one key that this pull trusts: the named key, or the pinned key, or at the first pull the server's current key. */
export async function serverKey(
  server: string,
  pin: Pin | undefined,
  named: string | undefined,
): Promise<ServerKey> {
  const keys = await listedKeys(server)
  const wanted = named === undefined ? pin?.keyId : wantedKeyId(named)
  const present = keys.find((key) => key.retired_at === null)
  if (!present)
    throw new CommandError(
      `${server} lists no key that signs snapshots. A vault that has just started makes its first one within minutes: try again then.`,
    )
  if (wanted !== undefined && present.key_id !== wanted)
    throw new CommandError(
      [
        `The key of ${server} is not the one that ${named === undefined ? 'was pinned at the first pull' : 'you named'}.`,
        `  ${named === undefined ? 'pinned' : 'named '}: ${wanted}`,
        `  now   : ${present.key_id}`,
        'Nothing was imported. Ask its operators by another channel whether they changed it. If so:',
        `  ${KVAULT} library pull ${server} --key ${present.key_id}`,
      ].join('\n'),
    )
  const isNew = pin?.keyId !== present.key_id
  const madeAt = pin?.madeAt
  return {
    pin: { keyId: present.key_id, publicKey: present.public_key, ...(madeAt ? { madeAt } : {}) },
    isNew,
  }
}
