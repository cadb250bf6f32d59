import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import type { LaunchOptions } from 'playwright-core'

/** The npm package, which has a browser for 64-bit Intel Linux. */
const PACKAGE = fileURLToPath(new URL('../../node_modules/@sparticuz/chromium/', import.meta.url))
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

function unpackInto(folder: string): void {
  const unpack = (packed: string, name: string, mode?: number) =>
    writeFileSync(join(folder, name), brotliDecompressSync(readFileSync(join(PACKAGE, 'bin', packed))), {
      mode,
    })
  unpack('chromium.br', 'chromium', 0o755)
  const archive = join(folder, 'archive.tar')
  for (const packed of ['swiftshader.tar.br', 'al2023.tar.br', 'fonts.tar.br']) {
    unpack(packed, 'archive.tar')
    execFileSync('tar', ['-xf', archive, '--no-same-owner', '-C', folder])
  }
  rmSync(archive)
}

const fontsOf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`

/**
 * The package would unpack it into the folder for temporary files and take whatever has the name there: half a browser
 * of a run that was ended, or one that only another user may start.
 */
function unpackedOnce(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  const folder = join(CACHE, `knowledge-vault-chromium-${version}`)
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  unpackInto(draft)
  writeFileSync(join(draft, 'fonts.conf'), fontsOf(folder))
  keepFirst(draft, folder)
  return folder
}

/** Two processes may unpack it at the same time: the one that ends later takes what the other has made. */
export function keepFirst(draft: string, folder: string): void {
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(draft, { recursive: true })
  }
}

/** What the browser needs of its surroundings: a machine without a desktop has neither its libraries nor fonts. */
export function surroundings(folder: string, fontSettings = '/etc/fonts/fonts.conf'): Record<string, string> {
  const hasLibraries = spawnSync(join(folder, 'chromium'), ['--version']).status === 0
  return {
    ...(hasLibraries ? {} : { LD_LIBRARY_PATH: join(folder, 'lib') }),
    ...(existsSync(fontSettings) ? {} : { FONTCONFIG_FILE: join(folder, 'fonts.conf') }),
  }
}

export function packagedChromium(): Pick<LaunchOptions, 'executablePath' | 'env'> {
  const folder = unpackedOnce()
  return { executablePath: join(folder, 'chromium'), env: { ...process.env, ...surroundings(folder) } }
}
