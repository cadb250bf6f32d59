import type { z } from 'zod'
import type { Capability } from './capability.ts'
import type { Ctx, UserCtx } from './context.ts'
import { InvalidInput, missingScope, notAuthenticated } from './errors.ts'
import { checkAnswer } from './kept-answers.ts'
import type { Scope } from './scopes.ts'
import { sizeIssues } from './sizes.ts'
import { MAX_ISSUES, sayFraction, toInputIssues } from './validation.ts'

/** Refuses a caller without the needed credential. Doors ask before they read a body. */
export function authorise(capability: Pick<Capability, 'scopes'>, viewer: Ctx['viewer']): void {
  if (capability.scopes === 'public') return
  if (!viewer) throw notAuthenticated()
  if (!capability.scopes.every((scope) => viewer.scopes.has(scope))) throw missingScope(capability.scopes)
}

/** For a step that includes another: a key without the scope of that one cannot do it here either. */
export function requireScope({ viewer }: UserCtx, scope: Scope): void {
  if (!viewer.scopes.has(scope)) throw missingScope([scope])
}

/** Sizes first: an input that is too large is refused before its contents are looked at. */
export function parseInput<S extends z.ZodType>(schema: S, raw: unknown): z.output<S> {
  const tooLarge = sizeIssues(schema, raw)
  if (tooLarge.length > 0) throw new InvalidInput(tooLarge.slice(0, MAX_ISSUES))
  const parsed = schema.safeParse(raw, { error: sayFraction })
  if (!parsed.success) throw new InvalidInput(toInputIssues(parsed.error.issues, raw))
  return parsed.data
}

/** The one way into a capability: credential, scopes, input by schema, prepare, run, output by schema. */
export async function invoke(
  capability: Capability,
  ctx: Ctx,
  raw: unknown,
  schema: z.ZodType = capability.input,
  answer: z.ZodType = capability.output,
): Promise<unknown> {
  if (capability.prepare) return (await readied(capability, ctx, raw, schema, answer))(ctx)
  authorise(capability, ctx.viewer)
  const input = parseInput(schema, raw)
  // authorise() has made sure that there is a viewer if the declaration needs one.
  const output = await capability.run(ctx as UserCtx, input as never, undefined as never)
  return checkAnswer(answer, output)
}

const prepare = async (capability: Capability, ctx: Ctx, input: unknown): Promise<unknown> =>
  capability.prepare && ctx.work.inTurn(async () => capability.prepare?.(ctx as UserCtx, input as never))

/** The same in two steps: all slow work is done, and the returned function runs in the caller's transaction. */
export async function readied(
  capability: Capability,
  ctx: Ctx,
  raw: unknown,
  schema: z.ZodType = capability.input,
  answer: z.ZodType = capability.output,
): Promise<(ctx: Ctx) => Promise<unknown>> {
  authorise(capability, ctx.viewer)
  const input = parseInput(schema, raw)
  const prepared = await prepare(capability, ctx, input)
  return async (ctx) =>
    checkAnswer(answer, await capability.run(ctx as UserCtx, input as never, prepared as never))
}

type ToolInput = { schema: z.ZodObject; optional: readonly string[] }

const withOptional = (schema: z.ZodObject): ToolInput => {
  const isOptional = (field: z.ZodType) =>
    field.safeParse(undefined).success && !field.safeParse(null).success
  const optional = Object.entries(schema.shape).flatMap(([name, field]) => (isOptional(field) ? [name] : []))
  return { schema, optional }
}

/** Made once for each capability. */
function remembered(make: (capability: Capability) => ToolInput) {
  const known = new WeakMap<Capability, ToolInput>()
  return (capability: Capability): ToolInput => {
    let input = known.get(capability)
    if (!input) {
      input = make(capability)
      known.set(capability, input)
    }
    return input
  }
}

const toolInputOf = remembered(({ tool, input }) => withOptional((tool?.input ?? input).strict()))
const thinInputOf = remembered((capability) => {
  const { schema } = toolInputOf(capability)
  const more = capability.tool?.thin?.input.shape
  return withOptional(more ? schema.extend(more).strict() : schema)
})

/** Tool bodies are strict: a key that the tool does not know is an error, not noise. */
export const toolInput = (capability: Capability): z.ZodObject => toolInputOf(capability).schema

/** The same, with the inputs of the thin form. */
export const thinToolInput = (capability: Capability): z.ZodObject => thinInputOf(capability).schema

/** Models write null for what they leave out. It means absent, except where null is a value of its own. */
function withoutNulls(raw: unknown, optional: readonly string[]): unknown {
  if (typeof raw !== 'object' || raw === null) return raw
  const body = raw as Record<string, unknown>
  const absent = optional.filter((name) => body[name] === null)
  if (absent.length === 0) return raw
  return Object.fromEntries(Object.entries(body).filter(([name]) => !absent.includes(name)))
}

/** What a tool is called with, with its defaults. */
export function parseToolInput(capability: Capability, raw: unknown): unknown {
  const { schema, optional } = toolInputOf(capability)
  return parseInput(schema, withoutNulls(raw, optional))
}

/** `readied` for calls at a tool door. */
export function readiedTool(
  capability: Capability,
  ctx: Ctx,
  raw: unknown,
): Promise<(ctx: Ctx) => Promise<unknown>> {
  const { schema, optional } = toolInputOf(capability)
  return readied(capability, ctx, withoutNulls(raw, optional), schema, capability.tool?.output)
}

/** A capability by its tool: the tool's own input, strictly, and its own answer. */
export function invokeTool(capability: Capability, ctx: Ctx, raw: unknown): Promise<unknown> {
  const { schema, optional } = toolInputOf(capability)
  return invoke(capability, ctx, withoutNulls(raw, optional), schema, capability.tool?.output)
}

/** A capability by its tool at the MCP door: the whole answer, and the thin one that a model gets of it. */
export async function invokeThin(
  capability: Capability,
  ctx: Ctx,
  raw: unknown,
): Promise<{ whole: unknown; data: unknown }> {
  const { thin, output = capability.output } = capability.tool ?? {}
  if (!thin) {
    const whole = await invokeTool(capability, ctx, raw)
    return { whole, data: whole }
  }
  authorise(capability, ctx.viewer)
  const { schema, optional } = thinInputOf(capability)
  const input = parseInput(schema, withoutNulls(raw, optional))
  const prepared = await prepare(capability, ctx, input)
  const whole = checkAnswer(output, await capability.run(ctx as UserCtx, input as never, prepared as never))
  return { whole, data: thin.output.parse(thin.of(whole as never, input as never, ctx.config.baseUrl)) }
}
