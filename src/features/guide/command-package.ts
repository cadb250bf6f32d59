import { readFile } from 'node:fs/promises'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RawRoute } from '../../core/capability.ts'
import { sha256 } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'

type PackedFile = { path: string; content: Buffer }

const BLOCK = 512
const FILE_MODE = 0o644

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`

/** Returns a POSIX ustar header, independent of machine and time, so that equal files make equal archives. */
function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`The path is too long for a tar header: ${path}`)
  const block = Buffer.alloc(BLOCK)
  block.write(path, 0)
  block.write(octal(FILE_MODE, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(size, 12), 124)
  block.write(octal(0, 12), 136)
  // The checksum is computed with spaces in its own field.
  block.write(' '.repeat(8), 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function tar(files: readonly PackedFile[]): Buffer {
  const parts = files.flatMap(({ path, content }) => [
    header(path, content.length),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ])
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END = 0x06054b50
const VERSION_NEEDED = 20
const DEFLATED = 8
const UTF8_NAMES = 0x0800
/** The first day that a zip can store. A fixed date, so that equal files make equal archives. */
const FIRST_DAY = 0x21

type Stored = { path: Buffer; packed: Buffer; content: Buffer; offset: number }

function common({ path, packed, content }: Stored): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION_NEEDED, 0)
  fields.writeUInt16LE(UTF8_NAMES, 2)
  fields.writeUInt16LE(DEFLATED, 4)
  fields.writeUInt16LE(0, 6)
  fields.writeUInt16LE(FIRST_DAY, 8)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(packed.length, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(path.length, 22)
  fields.writeUInt16LE(0, 24)
  return fields
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const local = (file: Stored): Buffer =>
  Buffer.concat([number(LOCAL_HEADER), common(file), file.path, file.packed])

function central(file: Stored): Buffer {
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(file.offset, 10)
  const madeBy = Buffer.alloc(2)
  madeBy.writeUInt16LE(VERSION_NEEDED)
  return Buffer.concat([number(CENTRAL_HEADER), madeBy, common(file), tail, file.path])
}

function zip(files: readonly PackedFile[]): Buffer {
  let offset = 0
  const locals: Buffer[] = []
  const stored = files.map(({ path, content }) => {
    const file = { path: Buffer.from(path), packed: deflateRawSync(content, { level: 9 }), content, offset }
    const bytes = local(file)
    locals.push(bytes)
    offset += bytes.length
    return file
  })
  const directory = Buffer.concat(stored.map(central))
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, number(END), end])
}

const FOLDER = new URL('../../../packages/cli/', import.meta.url)

/** The launcher, the commands, and the hooks in four parts: start, before a tool, redaction, and end of an exchange. */
const PROGRAMS = ['kvault.js', 'cli.js', 'hook.js', 'hook-before.js', 'hook-later.js', 'hook-outgoing.js']

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

/** Makes the npm package of the command: `npx -y {base_url}/kvault.tgz`. */
export async function npmPackage(baseUrl: string): Promise<Buffer> {
  const texts = ['README.md', 'LICENSE'].map(async (name) => ({
    path: `package/${name}`,
    content: await partOf(name),
  }))
  const files = [...(await programFiles(baseUrl, 'package')), ...(await Promise.all(texts))]
  return gzipSync(tar(files), { level: 9 })
}

/** Returns a variable that Claude Desktop fills in when it starts the program. */
const filledIn = (name: string): string => `\${${name}}`

/** Makes the bundle for Claude Desktop, which asks for the key at installation. */
async function desktopBundle(baseUrl: string): Promise<Buffer> {
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

type Made = { bytes: Buffer; tag: string }

function madeOnce(make: (baseUrl: string) => Promise<Buffer>) {
  const made = new Map<string, Made>()
  return async (baseUrl: string): Promise<Made> => {
    const known = made.get(baseUrl)
    if (known) return known
    const bytes = await make(baseUrl)
    const fresh = { bytes, tag: `"${sha256(bytes.toString('base64'))}"` }
    made.set(baseUrl, fresh)
    return fresh
  }
}

/** Sends an ETag and no lifetime, so that `npm install` checks for a new version. */
function send(request: FastifyRequest, reply: FastifyReply, { bytes, tag }: Made, type: string) {
  reply.headers({ etag: tag, 'cache-control': 'no-cache' })
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return reply.type(type).send(bytes)
}

const download = (
  name: string,
  summary: string,
  route: RawRoute['route'],
  type: string,
  make: typeof npmPackage,
): RawRoute => {
  const made = madeOnce(make)
  return {
    name,
    summary,
    route,
    scopes: 'public',
    handle: async ({ config }, request, reply) => send(request, reply, await made(config.baseUrl), type),
  }
}

export const commandPackages: readonly RawRoute[] = [
  download(
    'command.package',
    'The command as an npm package',
    'GET /kvault.tgz',
    'application/gzip',
    npmPackage,
  ),
  download(
    'command.bundle',
    'The command for Claude Desktop',
    'GET /kvault.mcpb',
    'application/zip',
    desktopBundle,
  ),
]
