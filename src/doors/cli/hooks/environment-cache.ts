import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsFolder } from '../folders.ts'
import type { Environment } from '../lock-files/environment.ts'
import { writePrivate } from '../profile.ts'
import { fileNameFor } from './file-names.ts'

const fileOf = (folder: string): string =>
  join(settingsFolder(), 'environments', `${fileNameFor(folder)}.json`)

/** Reading lock files takes longer than the rest of a hook, so the other moments use what the last capture found. */
export function knownEnvironment(folder: string): Environment | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(folder), 'utf8'))
  } catch {
    return undefined
  }
}

export function keepEnvironment(folder: string, environment: Environment): void {
  try {
    writePrivate(fileOf(folder), JSON.stringify(environment))
  } catch {
    // The next capture tries again.
  }
}
