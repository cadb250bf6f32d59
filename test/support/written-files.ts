import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'

/** A folder for the files of one test file, and how to write one there; it is gone after the tests. */
export function writtenFiles(name: string): {
  folder: string
  write: (file: string, text: string) => string
} {
  const folder = mkdtempSync(join(tmpdir(), `knowledge-vault-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const write = (file: string, text: string): string => {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  return { folder, write }
}
