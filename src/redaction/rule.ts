export type Span = { start: number; end: number; kind: string; rank: number }

/** The certainty of a finding: where two overlap, the higher rank gives the kind. */
export const RANK = { block: 4, token: 3, named: 2, assigned: 1 } as const

/** Every quantifier of a tail is bounded, so that one try costs a constant. */
export type TokenRule = {
  form: 'token'
  kind: string
  prefixes: readonly string[]
  tail: RegExp
  /** The part of the credential before the prefix, matched backwards from it. */
  head?: RegExp
}

export type NamedRule = { form: 'named'; kind: string; names: readonly string[]; value: RegExp }

export type Rule = TokenRule | NamedRule

/** Must follow a token; a longer letter sequence is something else. */
const TOKEN_END = '(?![A-Za-z0-9])'

const VALUE_END = '(?=[\\s"\'`;,<>&)\\]}|\\\\#]|[.:?!](?:\\s|$)|$)'

export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Returns a pattern that is made at its first use: a hook loads all rules and needs few. */
export function lazily(source: () => string, flags: string): () => RegExp {
  let pattern: RegExp | undefined
  return () => {
    pattern ??= new RegExp(source(), flags)
    return pattern
  }
}

export function token(kind: string, prefixes: string | readonly string[], tail: string): TokenRule {
  const pattern = lazily(() => `(?:${tail})${TOKEN_END}`, 'y')
  return {
    form: 'token',
    kind,
    prefixes: [prefixes].flat(),
    get tail() {
      return pattern()
    },
  }
}

/** Matches the start of a word, or what follows an escape such as `\\n` or `%3D`. */
const WORD_START = '(?:(?<![A-Za-z0-9])|(?<=\\\\[a-z]|%[0-9A-F]{2}))'

export function inner(
  kind: string,
  head: string,
  fixed: string | readonly string[],
  tail: string,
): TokenRule {
  const pattern = lazily(() => `(?<=${WORD_START}(${head}))`, 'y')
  return Object.defineProperty(token(kind, fixed, tail), 'head', { get: pattern })
}

export function named(kind: string, names: string | readonly string[], value: string): NamedRule {
  const pattern = lazily(() => `(?:${value})${VALUE_END}`, 'iy')
  return {
    form: 'named',
    kind,
    names: [names].flat(),
    get value() {
      return pattern()
    },
  }
}
