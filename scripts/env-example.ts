import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { Environment } from '../src/config.ts'

/** Writes .env.example from the declaration of the settings: npm run docs */

const HEAD = `# Every setting, with its default. Made by \`npm run docs\` from src/config.ts.
# Copy this file to .env and take away the # before what you change. \`npm start\`, \`kvault\` and compose.yaml
# read .env; what stands in the environment wins. A mistake is one clear line at start.
# A value with # is put in quotes. Folders are whole paths, without ~.
`

/** The text that stands for a default in an env file. */
function written(value: unknown): string {
  if (value === undefined || Array.isArray(value)) return ''
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  const text = String(value)
  return /[\s<>#'"]/.test(text) ? `"${text}"` : text
}

const lines = ([name, schema]: [string, z.ZodType]): string => {
  const { success, data } = schema.safeParse(undefined)
  if (!success) throw new Error(`${name} has no default.`)
  if (!schema.description) throw new Error(`${name} has no description in src/config.ts.`)
  return `\n# ${schema.description}\n#${name}=${written(data)}\n`
}

export const envExample = (): string => HEAD + Object.entries(Environment.shape).map(lines).join('')

if (import.meta.main) writeFileSync(join(import.meta.dirname, '..', '.env.example'), envExample())
