import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Config } from '../config.ts'
import type { Scope } from '../shared/scopes.ts'
import type { Ctx, Services, UserCtx } from './context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = `${Method} /${string}`
export type LimitClass = 'auth' | 'support' | 'search' | 'write' | 'read'

/**
 * The bounded form of an answer, for models: every character costs tokens, and clients refuse long answers. Only the MCP door
 * gives it; REST and the tool endpoint answer whole.
 */
export type ThinAnswer<Whole> = {
  output: z.ZodObject
  /** Inputs that only this form needs, such as which part of a long text to read. */
  input: z.ZodObject
  of: (whole: Whole, input: never, baseUrl: string) => object
}

export const thinAnswer = <Whole, I extends z.ZodObject, O extends z.ZodObject>(form: {
  output: O
  input: I
  of: (whole: Whole, input: z.output<I>, baseUrl: string) => z.input<O>
}): ThinAnswer<Whole> => form

type Tool<I extends z.ZodObject, O extends z.ZodType> = {
  name: string
  /** For people; made from the name where it is left out. */
  title?: string
  /** Not a tool of the interface: listed after those, and marked. */
  extension?: true
  /** For a model that chooses between tools: when to use it, when not, what comes back. */
  description: string
  readOnly?: boolean
  destructive?: boolean
  idempotent?: boolean
  /** Another tool that spells out the same fields: a model that sees both reads them there. */
  fieldsOf?: string
  /** Replaces `input` at the tool doors where the interface gives tools other defaults or limits. */
  input?: z.ZodType<z.output<I>> & z.ZodObject
  /** Replaces `output` at the tool doors: without the fields that no input of the tool can ever fill. */
  output?: z.ZodObject
  thin?: ThinAnswer<z.output<O>>
}

type Declaration<
  I extends z.ZodObject,
  O extends z.ZodType,
  S extends readonly Scope[] | 'public',
  R extends readonly Route[],
  Q extends readonly (keyof z.output<I> & string)[],
  P = undefined,
> = {
  /** `noun.verb`, unique; names the operation in OpenAPI, logs and metrics. */
  name: string
  summary: string
  description?: string
  /** What a credential must carry; `public` needs no credential at all. */
  scopes: S
  /**
   * What a public route writes belongs to the person whose page asks. If their session has ended, it is refused: as that of
   * a stranger, they would not find it again.
   */
  hasAuthor?: true
  rest?: R
  status?: 200 | 201 | 204
  /** Path parameters that are another name for an input field, such as case_id for card_id. */
  aliases?: Record<string, string>
  /** Fields that a POST, PUT or PATCH takes from the query string instead of the body. */
  query?: Q
  tool?: Tool<I, O>
  input: I
  output: O
  /** Also the answers a user can cause beyond 401, 403 and 422, for the API description. */
  errors?: readonly number[]
  limit?: LimitClass
  maxBodyBytes?: number
  /**
   * `Idempotency-Key` wraps `run` in a transaction by default. `answer` is for capabilities that wait for another
   * host, which must not happen inside a transaction, or that have several transactions: the first answer is kept
   * afterwards. `none` ignores the key.
   */
  idempotency?: 'transaction' | 'answer' | 'none'
  /**
   * Whose keys they are. By default each credential has its own, and its secret seals the answer. `account` shares them among
   * all sessions and keys of one person; only for answers without secrets. `nobody` is for a call that ends the session it
   * comes with: repeated, it comes with another one. There the key alone seals the answer.
   */
  idempotencyOf?: 'credential' | 'account' | 'nobody'
  /** The answer carries a session token that a browser gets as a cookie, or ends that session. */
  session?: 'start' | 'end'
  /** Slow work that needs no transaction, such as hashing a password: it is done before one is begun. */
  prepare?: (ctx: S extends 'public' ? Ctx : UserCtx, input: z.output<I>) => Promise<P>
  run: (ctx: S extends 'public' ? Ctx : UserCtx, input: z.output<I>, prepared: P) => Promise<z.input<O>>
}

/** A capability as the doors see it, whatever its types. */
export type Capability = Omit<
  Declaration<z.ZodObject, z.ZodType, readonly Scope[] | 'public', readonly Route[], readonly string[]>,
  'run' | 'prepare' | 'query' | 'tool'
> & {
  query?: readonly string[]
  tool?: Omit<Tool<z.ZodObject, z.ZodType>, 'thin'> & { thin?: ThinAnswer<never> }
  prepare?: (ctx: UserCtx, input: never) => Promise<unknown>
  run: (ctx: UserCtx, input: never, prepared: never) => Promise<unknown>
}

/**
 * Declares one thing that the product can do; every door serves it from this declaration alone. Routes and
 * query fields keep their literal types, so that a client's call is checked against them when it is compiled.
 */
export const capability = <
  const I extends z.ZodObject,
  const O extends z.ZodType,
  const S extends readonly Scope[] | 'public',
  const R extends readonly Route[] = readonly [],
  const Q extends readonly (keyof z.output<I> & string)[] = readonly [],
  P = undefined,
>(
  declaration: Declaration<I, O, S, R, Q, P>,
) => declaration

/** The types of a declared capability, for the typed client. */
export type InputOf<C extends { input: z.ZodType }> = z.input<C['input']>
export type OutputOf<C extends { output: z.ZodType }> = z.output<C['output']>

type RestOf<C extends { rest?: readonly Route[] }> = NonNullable<C['rest']>[number]
type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer More}`
  ? Name | PathNames<More>
  : never

/** The routes of a capability whose path is filled from its input alone; `/cases/{case_id}` is not among them. */
export type RouteOf<C extends { input: z.ZodType; rest?: readonly Route[] }> = {
  [R in RestOf<C>]: PathNames<R> extends keyof InputOf<C> ? R : never
}[RestOf<C>]

/** As the API description has it. */
type Parameter = {
  name: string
  in: 'query' | 'header'
  required: boolean
  description?: string
  schema: object
}

/** A route that is more than JSON in and JSON out: webhooks, uploads, streams, pages. Lives in `features/x/x.http.ts`. */
export type RawRoute = {
  name: string
  summary: string
  route: Route
  scopes: readonly Scope[] | 'public'
  /** As in the declaration of a capability. */
  hasAuthor?: true
  limit?: LimitClass
  /** A page for people who are not signed in; a signed-in person gets the web app at the same address. */
  inApp?: true
  /** Whether this server has the route; if left out, every server has it. */
  isOn?: (config: Config) => boolean
  bodyLimit?: number
  /** For files: the most bytes of a whole body. They count against the sender's limit before they are read. */
  uploadBytes?: number
  /** Its answers are the same for everybody and hold no secret, so they may be compressed. */
  compress?: true
  /** Its part of the API description; pages that are not API leave it out. */
  openapi?: {
    /** Besides those of the path. */
    parameters?: readonly Parameter[]
    requestBody?: object
    /** Those of success; errors are only named. */
    responses: Record<string, object>
    errors?: readonly number[]
    /** Whether it honours `Idempotency-Key`. */
    takesKey?: boolean
    /** Schemas that it adds to the components, by name. */
    schemas?: Record<string, object>
  }
  /** Content types of its own, in its own scope. */
  prepare?: (app: FastifyInstance) => void | Promise<void>
  handle: (services: Services, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}
