import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { withEntry } from './client-file.ts'
import { CLIENTS, type McpClient } from './clients.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { type ProfileOptions, profileFolder, requireProfile, writePrivate } from './profile.ts'
import { isInteractive, paint, print, question } from './terminal.ts'

export type ConnectOptions = ProfileOptions & { dryRun?: boolean; yes?: boolean; print?: boolean }

/** What the file was before we changed it, so that `disconnect` can put back exactly that. */
type Undo = { file: string; before: string | null; after: string }

const undoFile = (client: McpClient) => join(profileFolder(), 'undo', `${client.name}.json`)

function findClient(name: string): McpClient {
  const client = CLIENTS.find((candidate) => candidate.name === name)
  if (client) return client
  const names = CLIENTS.map((candidate) => candidate.name).join(', ')
  throw new CommandError(
    `Unknown client "${name}". Known: ${names}. Others: see docs/guide/clients.md.`,
    EXIT.usage,
  )
}

const contentOf = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

/** The change as people read it; the key itself stays out of terminals and logs. */
function showDiff(file: string, before: string | null, after: string | null, secret?: string): void {
  const hide = (text: string) => (secret ? text.replaceAll(secret, '<API_KEY>') : text)
  const patch = createTwoFilesPatch(file, file, hide(before ?? ''), hide(after ?? ''), '', '', { context: 2 })
  for (const line of patch.split('\n').slice(2)) {
    if (line.startsWith('+')) print(paint('green', line))
    else if (line.startsWith('-')) print(paint('red', line))
    else print(line)
  }
}

async function agreed({ yes, dryRun }: ConnectOptions): Promise<boolean> {
  if (dryRun) return false
  if (yes) return true
  if (!isInteractive())
    throw new CommandError('Nothing written: no terminal to ask on. Repeat with --yes.', EXIT.byHand)
  return /^y(es)?$/i.test(await question('Write this? [y/N] '))
}

function write(file: string, text: string | null): void {
  if (text === null) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(dirname(file), { recursive: true })
  // The entry carries a key; a file that we make is for its owner alone.
  writeFileSync(file, text, existsSync(file) ? {} : { mode: 0o600 })
}

export async function connect(name: string, options: ConnectOptions): Promise<number> {
  const client = findClient(name)
  const profile = requireProfile(options)
  const file = client.file()
  if (options.print) {
    print(withEntry('', client, client.entry(profile), file).trimEnd())
    return EXIT.done
  }
  const before = contentOf(file)
  const after = withEntry(before ?? '', client, client.entry(profile), file)
  if (before === after) {
    print(`${client.title} is connected to ${profile.url} already.`)
    return EXIT.done
  }
  showDiff(file, before, after, profile.apiKey)
  if (!(await agreed(options))) {
    print('Nothing written.')
    return EXIT.done
  }
  // Connecting again must not forget what was there before the first time.
  const known = contentOf(undoFile(client))
  const earlier: Undo | null = known ? JSON.parse(known) : null
  const original = earlier && earlier.file === file && earlier.after === before ? earlier.before : before
  writePrivate(undoFile(client), JSON.stringify({ file, before: original, after } satisfies Undo))
  write(file, after)
  print(`${client.title} is connected to ${profile.url}. ${client.after}`)
  return EXIT.done
}

export async function disconnect(name: string, options: ConnectOptions): Promise<number> {
  const client = findClient(name)
  const file = client.file()
  const before = contentOf(file)
  const known = contentOf(undoFile(client))
  const undo: Undo | null = known ? JSON.parse(known) : null
  const untouched = undo !== null && undo.file === file && undo.after === before
  const after = untouched ? undo.before : before === null ? null : withEntry(before, client, undefined, file)
  if (after === before) {
    print(`${client.title} is not connected; nothing to undo.`)
    return EXIT.done
  }
  showDiff(file, before, after, requireKeyOf(options))
  if (!(await agreed(options))) {
    print('Nothing written.')
    return EXIT.done
  }
  write(file, after)
  rmSync(undoFile(client), { force: true })
  print(`${client.title} is disconnected.`)
  return EXIT.done
}

/** Only to hide it in the shown difference; disconnecting needs no key. */
function requireKeyOf(options: ProfileOptions): string | undefined {
  try {
    return requireProfile(options).apiKey
  } catch {
    return undefined
  }
}
