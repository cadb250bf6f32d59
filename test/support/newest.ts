import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** When the last change was made to a file, or to any file of a folder. */
export function newestIn(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newestIn(join(path, name))))
}
