import { isObject, linesOf, putVersion, type ReadVersions, readJson, type Versions } from './versions.ts'

/** Such a file has a line, perhaps with a comment above it. */
const READ_CHARACTERS = 10_000

const firstLine = (text: string): string =>
  linesOf(text.slice(0, READ_CHARACTERS))
    .map((line) => line.replace(/#.*$/, '').trim())
    .find((line) => line !== '') ?? ''

/** A file of one line with a version in it. Names such as `lts/*` and `stable` are not versions. */
const readOneLine =
  (name: string): ReadVersions =>
  (text) => {
    const versions: Versions = new Map()
    putVersion(versions, 'runtime', name, firstLine(text))
    return versions
  }

/** .nvmrc and .node-version. */
export const readNodeVersion: ReadVersions = readOneLine('node')

export const readPythonVersion: ReadVersions = readOneLine('python')

/** rust-toolchain and rust-toolchain.toml: the version alone, or as the channel. */
export const readRustToolchain: ReadVersions = (text, beside) => {
  const channel = /^[ \t]*channel[ \t]*=[ \t]*["']([^"'\n]+)["']/m.exec(text)?.[1]
  return readOneLine('rust')(channel ?? text, beside)
}

/** `engines` of package.json: the lowest supported version. */
export const readEngines: ReadVersions = (text) => {
  const versions: Versions = new Map()
  const { engines } = readJson(text)
  const range = isObject(engines) && typeof engines.node === 'string' ? engines.node : ''
  const [, least] = /^(?:>=|\^|~|=)?\s*v?(\d+(?:\.\d+)*)/.exec(range.trim()) ?? []
  if (least) putVersion(versions, 'runtime', 'node', least)
  return versions
}
