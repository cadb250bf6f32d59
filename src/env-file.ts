import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { ConfigError } from './config.ts'
import { homeFolder, userDataFolder, type Variables } from './core/user-folders.ts'
import { Environment } from './environment.ts'

/** What holds where neither environment nor file says otherwise. */
export type Standards = { file: string; variables: Variables }

/**
 * A checkout has its settings beside package.json and not in the working folder: `kvault backup` may be called in the folder
 * of another program, whose .env means another database.
 */
const ofCheckout = (): Standards => ({
  file: fileURLToPath(new URL('../.env', import.meta.url)),
  variables: {},
})

/** An installed package is replaced by the next version, so data and settings lie in the person's own folder. */
export function ofPackage(env: Variables, home: string): Standards {
  const folder = userDataFolder('knowledge-vault', env, home)
  return { file: join(folder, '.env'), variables: { DATA_DIR: folder } }
}

export const isPackage = import.meta.url.endsWith('.js')

const standardsHere = (env: Variables): Standards => (isPackage ? ofPackage(env, homeFolder()) : ofCheckout())

/** The variables of the file that ENV_FILE names; an empty ENV_FILE means none. */
function variablesOfFile(env: Variables, standards: Standards): Variables {
  const file = env.ENV_FILE ?? standards.file
  if (file === '') return {}
  const text = textOfFile(file, env.ENV_FILE !== undefined)
  const variables = parseEnv(text)
  refuseCutValues(text, variables, file)
  return variables
}

function textOfFile(file: string, isNamed: boolean): string {
  try {
    // The decoder leaves out a byte order mark, which would make another name of the first one.
    return new TextDecoder().decode(readFileSync(file))
  } catch (error) {
    if (!isNamed && (error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw new ConfigError([`ENV_FILE: ${file} cannot be read (${(error as Error).message})`])
  }
}

/** A value without quotes, with `#` right behind a character of it or behind the equals sign. */
const CUT = /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*((?!["'`])[^#\r\n]*)(?<![ \t])#/gm

/** The half of a password would be sent in its place, and systemd and Docker read the same line as a whole. */
function refuseCutValues(text: string, variables: Variables, file: string): void {
  const cut = [...text.matchAll(CUT)].filter(
    ([, name = '', value]) => name in Environment.shape && variables[name] === value,
  )
  if (cut.length > 0)
    throw new ConfigError(
      cut.map(
        ([, name]) => `${name}: # begins a comment in ${file}; quote the value, or put a blank before #`,
      ),
    )
}

/** The environment and, below it, what the file says. */
export const withEnvFile = (env: Variables, standards = standardsHere(env)): Variables => ({
  ...standards.variables,
  ...variablesOfFile(env, standards),
  ...env,
})

/** The settings that were read, for a process that must not read the file again: it may have changed since. */
export const settingsToPassOn = (read: Variables): Variables => ({
  ...Object.fromEntries(Object.entries(read).filter(([name]) => name in Environment.shape)),
  ENV_FILE: '',
})

/** Names in the file that are no settings: nobody reads them, so they are mistyped or belong elsewhere. */
export const unknownInEnvFile = (env: Variables, standards = standardsHere(env)): string[] =>
  Object.keys(variablesOfFile(env, standards)).filter((name) => !(name in Environment.shape))
