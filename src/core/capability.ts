import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Scope } from '../shared/scopes.ts'
import type { Ctx, Services, UserCtx } from './context.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = `${Method} /${string}`
export type LimitClass = 'auth' | 'support' | 'search' | 'write' | 'read'

/** A bounded answer for models at the MCP door, where clients refuse long ones; REST returns the whole. */
type ThinAnswer<Whole> = {
  output: z.ZodObject
  /** Inputs of the thin form only, such as which part of a long text to read. */
  input: z.ZodObject
  of: (whole: Whole, input: never, baseUrl: string) => object
}

export const thinAnswer = <
  Whole,
  O extends z.ZodObject,
  I extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(form: {
  output: O
  input?: I
  of: (whole: Whole, input: z.output<I>, baseUrl: string) => z.input<O>
}): ThinAnswer<Whole> => ({ input: z.object({}), ...form })

type Tool<I extends z.ZodObject, O extends z.ZodType> = {
  name: string
  /** Title for people; derived from the name if left out. */
  title?: string
  /** An extension: the tool is listed after the interface's own tools and marked. */
  extension?: true
  /** For a model that chooses between tools: when to use this one, when not, and what it returns. */
  description: string
  readOnly?: boolean
  destructive?: boolean
  idempotent?: boolean
  /** Another tool that describes the same fields in full. */
  fieldsOf?: string
  /** Replaces `input` at the tool doors, where the interface has other defaults or limits. */
  input?: z.ZodType<z.output<I>> & z.ZodObject
  /** Replaces `output` at the tool doors: leaves out the fields that no tool input can fill. */
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
  /** The scopes that a credential must carry; `public` needs no credential. */
  scopes: S
  /** Refuses the write after the session has ended: the person would not find an anonymous result. */
  hasAuthor?: true
  rest?: R
  status?: 200 | 201 | 204
  /** Path parameters that are another name for an input field, such as case_id for card_id. */
  aliases?: Record<string, string>
  /** Fields that a POST, PUT or PATCH takes from the query string. */
  query?: Q
  tool?: Tool<I, O>
  input: I
  output: O
  /** Status codes for the API description, besides 401, 403 and 422. */
  errors?: readonly number[]
  limit?: LimitClass
  maxBodyBytes?: number
  /**
   * `transaction`: `run` and the answer share one. `answer` (calls to another host, several transactions):
   * stored afterwards, the first one counts. `none`: ignores the key.
   */
  idempotency?: 'transaction' | 'answer' | 'none'
  /**
   * `credential`: the credential's secret seals the answer. `account`: only for answers without secrets.
   * `nobody`: for a call that ends its own session; the key seals the answer.
   */
  idempotencyOf?: 'credential' | 'account' | 'nobody'
  /** The answer starts a session, sent to browsers as a cookie, or ends one. */
  session?: 'start' | 'end'
  /** Slow work, such as hashing a password, that runs before the transaction begins. */
  prepare?: (ctx: S extends 'public' ? Ctx : UserCtx, input: z.output<I>) => Promise<P>
  run: (ctx: S extends 'public' ? Ctx : UserCtx, input: z.output<I>, prepared: P) => Promise<z.input<O>>
}

/** A capability with erased types, as the doors see it. */
export type Capability = Omit<
  Declaration<z.ZodObject, z.ZodType, readonly Scope[] | 'public', readonly Route[], readonly string[]>,
  'run' | 'prepare' | 'query' | 'tool'
> & {
  query?: readonly string[]
  tool?: Omit<Tool<z.ZodObject, z.ZodType>, 'thin'> & { thin?: ThinAnswer<never> }
  prepare?: (ctx: UserCtx, input: never) => Promise<unknown>
  run: (ctx: UserCtx, input: never, prepared: never) => Promise<unknown>
}

/** Keeps the literal types of routes and query fields, so that the compiler checks a client's calls. */
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

export type InputOf<C extends { input: z.ZodType }> = z.input<C['input']>
export type OutputOf<C extends { output: z.ZodType }> = z.output<C['output']>

type RestOf<C extends { rest?: readonly Route[] }> = NonNullable<C['rest']>[number]
type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer More}`
  ? Name | PathNames<More>
  : never

/** The routes whose path parameters are all input fields; `/cases/{case_id}` is not among them. */
export type RouteOf<C extends { input: z.ZodType; rest?: readonly Route[] }> = {
  [R in RestOf<C>]: PathNames<R> extends keyof InputOf<C> ? R : never
}[RestOf<C>]

type Parameter = {
  name: string
  in: 'query' | 'header'
  required: boolean
  description?: string
  schema: object
}

export type RawRoute = {
  name: string
  summary: string
  route: Route
  scopes: readonly Scope[] | 'public'
  hasAuthor?: true
  limit?: LimitClass
  /** A page for people who are not signed in; signed-in people get the web app at the same address. */
  inApp?: true
  /** Whether this server has the route; without it, every server does. */
  isOn?: (config: Config) => boolean
  bodyLimit?: number
  /** In bytes; counted against the sender's quota before the body is read. */
  uploadBytes?: number
  /** The answers may be compressed: they are public and hold no secret. */
  compress?: true
  openapi?: {
    parameters?: readonly Parameter[]
    requestBody?: object
    responses: Record<string, object>
    errors?: readonly number[]
    takesKey?: boolean
    schemas?: Record<string, object>
  }
  /** Registers content types for this route alone. */
  prepare?: (app: FastifyInstance) => void | Promise<void>
  handle: (services: Services, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}
