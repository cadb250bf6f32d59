import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, nothingHere } from '../../core/errors.ts'
import type { Answers } from './answers.ts'
import { clientHost, type IsTrusted } from './connections.ts'
import { sendError, toAppError } from './errors.ts'
import { countFile, countMiss } from './rate-limit.ts'

type Branch = { words: Map<string, Branch>; name?: Branch; url?: string; methods: Set<string> }

const emptyBranch = (): Branch => ({ words: new Map(), methods: new Set() })

/** Ignores a slash at the end, as the router does. */
const partsOf = (path: string): string[] => path.replace(/\/$/, '').split('/')

export class Addresses {
  readonly #root = emptyBranch()

  add(url: string, methods: string[]): void {
    let branch = this.#root
    for (const part of partsOf(url)) {
      if (part.startsWith(':')) {
        branch.name ??= emptyBranch()
        branch = branch.name
        continue
      }
      const next = branch.words.get(part) ?? emptyBranch()
      branch.words.set(part, next)
      branch = next
    }
    branch.url ??= url
    for (const method of methods) branch.methods.add(method)
  }

  /** Yields the branches that match a path, in the order of the router: fixed words before parameters. */
  *#branchesAt(parts: string[], branch = this.#root): Generator<Branch> {
    const [part, ...rest] = parts
    if (part === undefined) {
      if (branch.url !== undefined) yield branch
      return
    }
    const word = branch.words.get(part)
    if (word) yield* this.#branchesAt(rest, word)
    if (branch.name && part !== '') yield* this.#branchesAt(rest, branch.name)
  }

  methodsAt(path: string): ReadonlySet<string> | undefined {
    return this.#branchesAt(partsOf(path)).next().value?.methods
  }

  /** Yields hidden methods: `/cards/stats` hides `DELETE /cards/:card_id`. */
  *hiding(methods: string[]): Generator<{ url: string; hidden: string[] }> {
    for (const url of this.#urls()) {
      const [own, ...others] = this.#branchesAt(partsOf(url))
      const hidden = methods.filter(
        (method) => !own?.methods.has(method) && others.some((other) => other.methods.has(method)),
      )
      if (hidden.length > 0) yield { url, hidden }
    }
  }

  *#urls(branch = this.#root): Generator<string> {
    if (branch.url !== undefined) yield branch.url
    for (const word of branch.words.values()) yield* this.#urls(word)
    if (branch.name) yield* this.#urls(branch.name)
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export const EVERYTHING_ELSE = '/*'

/** For `onRequest`: counts the request against its host and refuses it before its body is read. */
export const refuseUncalled = (services: Services, refusal: (request: FastifyRequest) => AppError) =>
  async function refuse(request: FastifyRequest): Promise<void> {
    countMiss(services, request)
    throw refusal(request)
  }

/** Counts requests to plain routes, such as files, per host. Call it before the routes are added. */
export function countPlainRoutes(app: FastifyInstance, services: Services): void {
  app.addHook('onRoute', (route) => {
    route.onRequest ??= async (request: FastifyRequest) => countFile(services, request)
  })
}

function pathOf({ url }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1)
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function wrongMethod({ method }: FastifyRequest, methods: ReadonlySet<string>): AppError {
  const allow = [...methods].join(', ')
  return new AppError(
    405,
    'method_not_allowed',
    `${method} is not possible here; ${allow} is.`,
    {},
    { Allow: allow },
  )
}

/**
 * Answers before a body is read, so that it costs nothing. Call it before the routes are added, and the
 * returned function after them.
 */
export function refuseWrongAddresses(app: FastifyInstance, services: Services): () => void {
  const addresses = new Addresses()
  const missing = (request: FastifyRequest): AppError => {
    const methods = addresses.methodsAt(pathOf(request))
    // The method may be right and a part of the path too long for an id.
    return methods && !methods.has(request.method) ? wrongMethod(request, methods) : nothingHere()
  }
  const refuseMissing = refuseUncalled(services, missing)
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) refuseMissing(request).catch(done)
    else done()
  })
  // Answers a missing file in a folder. Unknown routes were refused before their body was read.
  app.setNotFoundHandler((request, reply) => {
    countMiss(services, request)
    return sendError(reply, nothingHere())
  })
  let closed = false
  app.addHook('onRoute', (route) => {
    if (closed) return
    if (!route.url.includes('*')) addresses.add(route.url, [route.method].flat())
    // This route also has the addresses of routes with other methods.
    else if (route.url === EVERYTHING_ELSE)
      route.preHandler = async (request: FastifyRequest) => {
        const error = missing(request)
        if (error.status !== 405) return
        countMiss(services, request)
        throw error
      }
  })
  return () => {
    closed = true
    for (const { url, hidden } of addresses.hiding(METHODS))
      app.route({ method: hidden, url, onRequest: refuseMissing, handler: async () => {} })
  }
}

function refusalOf(error: FastifyError, request: FastifyRequest, services: Services): AppError {
  switch (error.code) {
    case 'FST_ERR_BAD_URL':
      return new AppError(
        400,
        'bad_request',
        'The path of this address cannot be decoded. Write a percent sign as %25, and other characters as UTF-8.',
      )
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return nothingHere()
    default:
      return toAppError(error, request, services)
  }
}

/** Does the work of hooks and `decorateRequest`, which do not run for requests without a route. */
export const refuseUnroutable = (services: Services, answers: Answers, isTrusted: IsTrusted | undefined) =>
  function refuse(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    const host = clientHost(request.raw, isTrusted)
    Object.assign(request, { viewer: null, limit: null, startedAt: 0, clientHost: host })
    let refusal = refusalOf(error, request, services)
    try {
      countMiss(services, request)
    } catch (limited) {
      refusal = toAppError(limited, request, services)
    }
    reply.code(refusal.status)
    answers.attendUnrouted(request, reply)
    sendError(reply, refusal)
  }
