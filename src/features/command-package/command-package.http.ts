import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RawRoute } from '../../core/http/raw-route.ts'
import { sha256 } from '../../core/secrets.ts'
import { desktopBundle, npmPackage } from './packages.ts'

type Made = { bytes: Buffer; tag: string }

/** Made at the first request and kept: a few hundred kilobytes that never change while the server runs. */
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

/**
 * With a tag and no lifetime, `npm install` asks again after an upgrade and fetches only what changed. npx executes what it
 * has all the same, which `kvault connect` finds out.
 */
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
