import type { NamedRule, Rule, TokenRule } from '../../src/redaction/rule.ts'
import type { Sampler } from './samples.ts'

/** For tests: a secret, and a text as people and programs write it down. */
export type Draw = { secret: string; text: string; notation: string }

const assignments: Record<string, (name: string, value: string) => string> = {
  environment: (name, value) => `${name.toUpperCase()}=${value}`,
  shell: (name, value) => `export ${name}="${value}"`,
  INI: (name, value) => `${name} = ${value}`,
  JSON: (name, value) => `{\n  "${name}": "${value}"\n}`,
  'escaped JSON': (name, value) => `{\\"${name}\\":\\"${value}\\"}`,
  YAML: (name, value) => `${name}: ${value}`,
  'quoted YAML': (name, value) => `  ${name}: '${value}'`,
  XML: (name, value) => `<${name}>\n    ${value}\n</${name}>`,
  Go: (name, value) => `${name} := \`${value}\``,
  'Go with type': (name, value) => `var ${name} string = "${value}"`,
  TypeScript: (name, value) => `const ${name}: string = '${value}'`,
  Java: (name, value) => `private static final String ${name} = "${value}";`,
  PHP: (name, value) => `'${name}' => '${value}',`,
  call: (name, value) => `client.configure("${name}", "${value}")`,
  make: (name, value) => `${name} ?= "${value}"`,
  'fall-back': (name, value) => `process.env.${name} || '${value}'`,
  Rust: (name, value) => `let ${name}: &str = "${value}";`,
  'a list of names and values': (name, value) => `env:\n  - name: ${name}\n    value: ${value}`,
  'a JSON list': (name, value) => `[{ "name": "${name}", "value": "${value}" }]`,
  attributes: (name, value) => `<add key="${name}" value="${value}" />`,
  header: (name, value) => `-H "${name}: ${value}"`,
}

/** Some formats hold signs that end a bare value. */
const needsQuotes = (value: RegExp) => /\[\^|[&%]/.test(value.source.replace(/\(\?=.*$/, ''))
const quotedAssignments = Object.entries(assignments).filter(([, write]) => /"v"|'v'/.test(write('n', 'v')))

export function drawsOf(rule: Rule, sampler: Sampler): Draw[] {
  return rule.form === 'token' ? tokenDraws(rule, sampler) : namedDraws(rule, sampler)
}

function tokenDraws(rule: TokenRule, { sampleOf }: Sampler): Draw[] {
  return rule.prefixes.flatMap((prefix) => {
    const head = rule.head ? sampleOf(new RegExp(headOf(rule.head))) : ''
    const secret = `${head}${prefix}${sampleOf(rule.tail)}`
    const texts = [secret, `see ${secret} there`, `"${secret}"`, `\\n${secret}\\n`, `x=${secret}`]
    return texts.map((text) => ({ secret, text, notation: text.replace(secret, '…') }))
  })
}

/** The pattern that is looked for before the fixed part. */
const headOf = (head: RegExp) => head.source.slice(head.source.lastIndexOf('))(') + 3, -2)

function namedDraws(rule: NamedRule, sampler: Sampler): Draw[] {
  const notations = needsQuotes(rule.value) ? quotedAssignments : Object.entries(assignments)
  return rule.names
    .filter((name) => /^\w+$/.test(name))
    .flatMap((name) =>
      notations.map(([notation, write]) => {
        const secret = sampleWithDigit(rule.value, sampler)
        return { secret, text: write(name, secret), notation: `${notation}, ${name}` }
      }),
    )
}

/** Letters alone could spell a word, and a word is let through. */
function sampleWithDigit(pattern: RegExp, sampler: Sampler): string {
  const sample = sampler.sampleOf(pattern)
  return /^[^=].*\d/.test(sample) ? sample : sampleWithDigit(pattern, sampler)
}

/** A value beside a name that says no more than "secret". */
export function secretNameDraws(name: string, { randomFrom }: Sampler): Draw[] {
  return Object.entries(assignments).map(([notation, write]) => {
    const secret = `q7${randomFrom('abcdefghijkmnpqrstuvwxyz23456789', 30)}Z4`
    return { secret, text: write(`app_${name}`, secret), notation }
  })
}
