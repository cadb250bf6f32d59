import { Resolver } from 'node:dns/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { TookTooLong, within } from '../../../core/within.ts'
import { OAuthProblem } from './oauth.rules.ts'
import { isPublicAddress } from './public-address.ts'

const MAX_BYTES = 16 * 1024
const TIMEOUT_MS = 5000
const TOO_MANY = 429

const NAME_SERVER = { timeout: 1500, tries: 2 }

type Address = { address: string; family: number }

type AskNames = (host: string) => Promise<string[]>

export type DocumentNet = {
  lookup: (host: string) => Promise<Address[]>
  request: (url: URL, options: RequestOptions, answer: (response: IncomingMessage) => void) => ClientRequest
  allowed: (address: string) => boolean
}

/**
 * Asks the name servers without the system's own look-up, of which a process does two at a time: strangers who name hosts
 * whose name servers are silent would hold up mail, payments and all else that needs an address.
 */
export async function lookUp(
  host: string,
  names: { resolve4: AskNames; resolve6: AskNames } = new Resolver(NAME_SERVER),
): Promise<Address[]> {
  const given = isIP(host)
  if (given !== 0) return [{ address: host, family: given }]
  const [v4, v6] = await Promise.allSettled([names.resolve4(host), names.resolve6(host)])
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
  const found = (answer: PromiseSettledResult<string[]>, family: number): Address[] =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
  return [...found(v4, 4), ...found(v6, 6)]
}

export const internet: DocumentNet = {
  lookup: (host) => lookUp(host),
  request: httpsRequest,
  allowed: isPublicAddress,
}

export const isDocumentId = (clientId: string): boolean => clientId.startsWith('https://')

/** Nothing was learned about the client: the document may be there again later. */
export class DocumentAway extends OAuthProblem {
  constructor(why: string) {
    super('invalid_client', `The client metadata document ${why}`, 401)
  }
}

const away = (why: string): never => {
  throw new DocumentAway(why)
}

const refuse = (why: string): never => {
  throw new OAuthProblem('invalid_client', `The client metadata document ${why}`, 401)
}

// Client ID Metadata Documents: the client_id is the address of a document that describes the client.
export function documentUrl(clientId: string): URL {
  if (!URL.canParse(clientId)) return refuse('has no valid address')
  const url = new URL(clientId)
  if (url.href !== clientId) return refuse('address is not in its normal form')
  if (url.protocol !== 'https:' || url.username || url.password || url.hash || url.port) {
    return refuse('must be at a plain https address without port, credentials or fragment')
  }
  if (url.pathname === '/') return refuse('address needs a path')
  return url
}

// The name is resolved once and the connection goes to exactly that address, so a name that answers differently
// the second time (DNS rebinding) gains nothing. No redirect is followed; size and time are bounded.
export async function fetchClientDocument(clientId: string, net: DocumentNet = internet): Promise<unknown> {
  const url = documentUrl(clientId)
  const text = await within(TIMEOUT_MS, readAt(url, net)).catch((error: unknown) => {
    throw error instanceof TookTooLong ? new DocumentAway('took too long') : error
  })
  try {
    return JSON.parse(text)
  } catch {
    return refuse('is not JSON')
  }
}

async function readAt(url: URL, net: DocumentNet): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await net.lookup(host).catch(() => away('host cannot be resolved'))
  const target = addresses[0]
  if (!target || !addresses.every(({ address }) => net.allowed(address))) {
    return refuse('is not on the public internet')
  }
  return download(url, target, net)
}

function download(url: URL, target: Address, net: DocumentNet): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const fail = (why: string) =>
    reject(new OAuthProblem('invalid_client', `The client metadata document ${why}`, 401))
  const options: RequestOptions = {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    lookup: (_host, wanted, done) =>
      wanted.all ? done(null, [target]) : done(null, target.address, target.family),
  }
  const outgoing = net.request(url, options, (response) => {
    const { statusCode = 0 } = response
    if (statusCode !== 200) {
      response.destroy()
      const why = `answered ${statusCode}`
      return statusCode >= 500 || statusCode === TOO_MANY ? reject(new DocumentAway(why)) : fail(why)
    }
    if (!/^application\/([\w.-]+\+)?json\b/i.test(response.headers['content-type'] ?? '')) {
      response.destroy()
      return fail('is not served as JSON')
    }
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BYTES) return chunks.push(chunk)
      response.destroy()
      return fail(`is larger than ${MAX_BYTES} bytes`)
    })
    response.on('error', () => reject(new DocumentAway('could not be read')))
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
  outgoing.on('error', () => reject(new DocumentAway('could not be fetched')))
  outgoing.end()
  return promise
}
