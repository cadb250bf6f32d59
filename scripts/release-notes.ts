/** Prints the notes of a release from the changelog: node scripts/release-notes.ts 0.2.0 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { notesOf } from './changelog.ts'

const [version = ''] = process.argv.slice(2)
const notes = notesOf(readFileSync(join(import.meta.dirname, '..', 'CHANGELOG.md'), 'utf8'), version)
if (notes === undefined) {
  process.stderr.write(`CHANGELOG.md has no section for version "${version}".\n`)
  process.exitCode = 1
} else process.stdout.write(`${notes}\n`)
