import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type Cite, citeText, readCite } from '../../features/cites/cite.ts'
import type { Fits } from '../../features/cites/fits.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { gitVariables, trustedFolder } from './folders.ts'

export type FileCite = Extract<Cite, { kind: 'file' }>

const LARGEST_FILE = 8 * 1024 * 1024

function git(folder: string, args: string[], input = ''): string | undefined {
  try {
    return execFileSync('git', ['-C', resolve(folder), ...args], {
      cwd: trustedFolder(),
      encoding: 'utf8',
      input,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['pipe', 'pipe', 'ignore'],
      // A partial clone would ask its remote for commits of other repositories.
      env: { ...gitVariables(), GIT_NO_LAZY_FETCH: '1' },
    })
  } catch {
    return undefined
  }
}

/** Undefined if the folder is not in a checkout, or if there is no git. */
export const checkoutOf = (folder: string): string | undefined =>
  git(folder, ['rev-parse', '--show-toplevel'])?.trim() || undefined

/** Which of these commits this repository has. */
function knownCommits(root: string, commits: readonly string[]): Set<string> {
  const asked = [...new Set(commits)]
  if (asked.length === 0) return new Set()
  const input = asked.map((commit) => `${commit}^{commit}\n`).join('')
  const lines = git(root, ['cat-file', '--batch-check'], input)?.split('\n') ?? []
  return new Set(asked.filter((_, index) => / commit \d+$/.test(lines[index] ?? '')))
}

/** The first 12 digits are enough to tell lines apart. Spaces around a line do not count. */
const lineHash = (line: string): string => createHash('sha256').update(line.trim()).digest('hex').slice(0, 12)

/** The file inside the checkout; links that lead out of it are not followed. */
function fileInside(root: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(root, path))
    return real.startsWith(realpathSync(root) + sep) && statSync(real).isFile() ? real : undefined
  } catch {
    return undefined
  }
}

const hashesOf = (text: string): Set<string> => new Set(text.split('\n').map(lineHash))

export type FileFit = { fits: Fits; why: string }

/** Compares cites of files with a checkout. A commit that it does not have belongs to another repository. */
export function holdFiles(root: string, cites: readonly FileCite[]): (cite: FileCite) => FileFit | null {
  const known = knownCommits(
    root,
    cites.map((cite) => cite.commit),
  )
  const read = new Map<string, Set<string>>()
  return ({ path, commit, lineHash: hash }) => {
    if (!known.has(commit)) return null
    const file = fileInside(root, path)
    if (file === undefined) return { fits: 'older', why: 'the file is gone' }
    if (hash === null) return { fits: 'likely', why: 'the file is there' }
    if (statSync(file).size > LARGEST_FILE) return { fits: 'unknown', why: 'the file is larger than 8 MB' }
    const hashes = read.get(file) ?? hashesOf(readFileSync(file, 'utf8'))
    read.set(file, hashes)
    return hashes.has(hash)
      ? { fits: 'exact', why: 'the line is there' }
      : { fits: 'older', why: 'no line has this text now' }
  }
}

const wrong = (message: string) => new CommandError(message, EXIT.usage)

/** `src/app.ts:12` → `file:src/app.ts@1a2b3c4d5e6f#0123456789ab`, for the cites of a card. */
export function citeOfLine(written: string, folder: string): string {
  const [, path = '', number = ''] = /^(.+):(\d+)$/.exec(written) ?? []
  if (path === '') throw wrong(`"${written}" is not a line. Write it as src/app.ts:12.`)
  const root = checkoutOf(folder)
  const commit = root && git(root, ['rev-parse', '--short=12', 'HEAD'])?.trim()
  if (!root || !commit) throw wrong(`${folder} is not in a git repository with a commit.`)
  const inside = relative(realpathSync(root), resolve(realpathSync(folder), path)).replaceAll('\\', '/')
  if (inside.startsWith('../') || isAbsolute(inside)) throw wrong(`${path} is not inside ${root}.`)
  const text = git(root, ['show', `HEAD:${inside}`])
  if (text === undefined) throw wrong(`${inside} is not committed. Commit it, then cite it.`)
  const line = text.split('\n')[Number(number) - 1]?.trim()
  if (!line) throw wrong(`Line ${number} of ${inside} is empty or not committed. Cite another line.`)
  const cite = citeText({ kind: 'file', path: inside, commit, lineHash: lineHash(line) })
  if (readCite(cite) === null)
    throw wrong(`${inside} cannot be cited: its name has spaces or @, or is too long.`)
  return cite
}
