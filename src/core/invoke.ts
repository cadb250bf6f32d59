import type { z } from 'zod'
import type { Capability } from './capability.ts'
import type { Ctx, UserCtx } from './context.ts'
import { InvalidInput, missingScope, notAuthenticated } from './errors.ts'
import { sizeIssues } from './sizes.ts'
import { MAX_ISSUES, toInputIssues } from './validation.ts'

/** Refuses a caller without the needed credential. Doors ask before they read a body. */
export function authorise(capability: Pick<Capability, 'scopes'>, viewer: Ctx['viewer']): void {
  if (capability.scopes === 'public') return
  if (!viewer) throw notAuthenticated()
  if (!capability.scopes.every((scope) => viewer.scopes.has(scope))) throw missingScope(capability.scopes)
}

/** Sizes first: what is too large is refused before anything looks at what it holds. */
export function parseInput<S extends z.ZodType>(schema: S, raw: unknown): z.output<S> {
  const tooLarge = sizeIssues(schema, raw)
  if (tooLarge.length > 0) throw new InvalidInput(tooLarge.slice(0, MAX_ISSUES))
  const parsed = schema.safeParse(raw)
  if (!parsed.success) throw new InvalidInput(toInputIssues(parsed.error.issues, raw))
  return parsed.data
}

/** The one way into a capability: credential, scopes, input by schema, run, output by schema. */
export async function invoke(
  capability: Capability,
  ctx: Ctx,
  raw: unknown,
  schema: z.ZodType = capability.input,
): Promise<unknown> {
  authorise(capability, ctx.viewer)
  const input = parseInput(schema, raw)
  // authorise() has seen a viewer wherever the declaration asks for one.
  const output = await capability.run(ctx as UserCtx, input as never)
  // Declared fields alone leave, each of its declared type.
  return capability.output.parse(output)
}

const strictInputs = new WeakMap<Capability, z.ZodType>()

/** Tool bodies are strict: a key that the tool does not know is an error, not noise. */
export function toolInput(capability: Capability): z.ZodType {
  let schema = strictInputs.get(capability)
  if (!schema) {
    schema = (capability.tool?.input ?? capability.input).strict()
    strictInputs.set(capability, schema)
  }
  return schema
}
