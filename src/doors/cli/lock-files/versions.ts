import { sameName } from '../../../features/cites/cite.ts'
import { compareVersions, readVersion } from '../../../features/cites/version-ranges.ts'

/** `npm:fastify` → `5.8.5`: what the code of a folder gets. */
export type Versions = Map<string, string>

/** The text of another file in the same folder, or undefined. */
export type Beside = (name: string) => string | undefined

export type ReadVersions = (text: string, beside: Beside) => Versions

/** The message completes a sentence that begins with the file's name. */
export class UnreadableFile extends Error {}

export const versionKey = (ecosystem: string, name: string): string =>
  `${ecosystem}:${sameName(ecosystem, name)}`

/** The vault refuses a question with much longer ones. */
const LONGEST_VERSION = 100

/** For direct dependencies: they win over transitive ones. A version is one word; a stranger's file may say more. */
export function putVersion(versions: Versions, ecosystem: string, name: string, version: string): void {
  const [word = ''] = version.trim().split(/\s/, 1)
  if (name !== '' && word.length <= LONGEST_VERSION && readVersion(word) !== null)
    versions.set(versionKey(ecosystem, name), word.replace(/^[vV=]+/, ''))
}

/** Of several versions of a package in a lock file, the highest one is kept. */
export function putHighest(versions: Versions, ecosystem: string, name: string, version: string): void {
  const before = readVersion(versions.get(versionKey(ecosystem, name)) ?? '')
  const found = readVersion(version)
  if (found !== null && (before === null || compareVersions(found, before) > 0))
    putVersion(versions, ecosystem, name, version)
}

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function readJson(text: string): Json {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnreadableFile('is not JSON')
  }
  if (!isObject(value)) throw new UnreadableFile('is not a JSON object')
  return value
}

export const linesOf = (text: string): string[] => text.replaceAll('\r\n', '\n').split('\n')

export const unquoted = (text: string): string => text.replaceAll(/^["']|["']$/g, '')
