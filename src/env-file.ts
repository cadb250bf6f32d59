import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { ConfigError } from './config.ts'

type Variables = Record<string, string | undefined>

/**
 * Beside package.json and not in the working folder: `kvault backup` may be called in the folder of another program,
 * whose .env means another database.
 */
const BESIDE_PACKAGE = fileURLToPath(new URL('../.env', import.meta.url))

/** The environment and, below it, the variables of the file that ENV_FILE names; an empty ENV_FILE means none. */
export function withEnvFile(env: Variables, standard = BESIDE_PACKAGE): Variables {
  const file = env.ENV_FILE ?? standard
  if (file === '') return env
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...env }
  } catch (error) {
    if (env.ENV_FILE === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return env
    throw new ConfigError([`ENV_FILE: ${file} cannot be read (${(error as Error).message})`])
  }
}
