import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

export const bytesIn = (folder: string): number =>
  filesIn(folder).reduce((sum, file) => sum + statSync(file).size, 0)

const isGone = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/**
 * Reads files into the system's cache, where the files of a busy vault are. The system may have dropped them after minutes. A
 * database that is running removes files of its own meanwhile.
 */
export async function readThrough(folder: string): Promise<void> {
  for (const file of filesIn(folder))
    try {
      for await (const _ of createReadStream(file, { highWaterMark: 2 ** 20 }));
    } catch (error) {
      if (!isGone(error)) throw error
    }
}
