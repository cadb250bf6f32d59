import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { AppError } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import { type PackedFile, tar } from './tar.ts'
import { zip } from './zip.ts'

const FOLDER = new URL('../../../packages/cli/', import.meta.url)

/** The launcher, the commands, and the hooks in three parts: what each starts with, the redaction, and the end of an exchange. */
const PROGRAMS = ['kvault.js', 'cli.js', 'hook.js', 'hook-later.js', 'hook-outgoing.js']

async function partOf(name: string): Promise<Buffer> {
  try {
    return await readFile(new URL(name, FOLDER))
  } catch {
    throw new AppError(
      503,
      'not_configured',
      'The command is not built on this server. Run: npm run build:cli',
    )
  }
}

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

/** The manifest has the server's version, and the vault that the command uses by default. */
async function manifestFor(baseUrl: string): Promise<Record<string, unknown>> {
  const given = JSON.parse((await partOf('package.json')).toString('utf8'))
  return { ...given, version: VERSION, vault: baseUrl }
}

async function programFiles(baseUrl: string, folder: string): Promise<PackedFile[]> {
  return [
    { path: `${folder}/package.json`, content: json(await manifestFor(baseUrl)) },
    ...(await Promise.all(
      PROGRAMS.map(async (name) => ({ path: `${folder}/${name}`, content: await partOf(name) })),
    )),
  ]
}

/** The command as npm installs it: `npx -y {base_url}/kvault.tgz`. */
export async function npmPackage(baseUrl: string): Promise<Buffer> {
  const texts = ['README.md', 'LICENSE'].map(async (name) => ({
    path: `package/${name}`,
    content: await partOf(name),
  }))
  const files = [...(await programFiles(baseUrl, 'package')), ...(await Promise.all(texts))]
  return gzipSync(tar(files), { level: 9 })
}

/** A variable that Claude Desktop fills in when it starts the program. */
const filledIn = (name: string): string => `\${${name}}`

/** The same as Claude Desktop installs it, by a double click: it asks for the key. */
export async function desktopBundle(baseUrl: string): Promise<Buffer> {
  const { description, license } = await manifestFor(baseUrl)
  const manifest = {
    manifest_version: '0.3',
    name: 'knowledge-vault',
    display_name: 'Knowledge Vault',
    version: VERSION,
    description,
    author: { name: 'Knowledge Vault' },
    license,
    server: {
      type: 'node',
      entry_point: 'server/kvault.js',
      mcp_config: {
        command: 'node',
        args: [`${filledIn('__dirname')}/server/kvault.js`, 'mcp'],
        env: { KVAULT_URL: filledIn('user_config.url'), KVAULT_API_KEY: filledIn('user_config.api_key') },
      },
    },
    user_config: {
      url: {
        type: 'string',
        title: 'Address of the vault',
        description: 'Without /mcp at its end.',
        default: baseUrl,
        required: true,
      },
      api_key: {
        type: 'string',
        title: 'API key',
        description: `From ${baseUrl}/connect`,
        sensitive: true,
        required: true,
      },
    },
    compatibility: { runtimes: { node: '>=20.0.0' } },
  }
  return zip([{ path: 'manifest.json', content: json(manifest) }, ...(await programFiles(baseUrl, 'server'))])
}
