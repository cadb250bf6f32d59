import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../exit-codes.ts'
import { settingsFolder } from '../folders.ts'
import { writePrivate } from '../profile.ts'

/** The key of a server at the first pull, and when its last pulled snapshot was made. */
export type Pin = { keyId: string; publicKey: string; madeAt?: string }

const pinsFile = () => join(settingsFolder(), 'library-keys.json')

function allPins(): Record<string, Pin> {
  try {
    return JSON.parse(readFileSync(pinsFile(), 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new CommandError(
      `${pinsFile()} cannot be read, so no key is known. Repair it, or remove it to start again.`,
    )
  }
}

export const pinOf = (server: string): Pin | undefined => allPins()[server]

export const savePin = (server: string, pin: Pin): void =>
  writePrivate(pinsFile(), `${JSON.stringify({ ...allPins(), [server]: pin }, null, 2)}\n`)
