import { expect, test } from 'vitest'
import { markedBlock } from './hooks.ts'

const rules = markedBlock(
  () => '/home/dev/global_rules.md',
  () => 'Ask the vault.\n',
)
const END = '<!-- knowledge-vault: end -->\n'

test('a block is added below what is there, renewed and removed', () => {
  const written = rules.withOurs('Answer briefly.\n')
  expect(written).toContain('Ask the vault.')
  expect(rules.withOurs(`${written}More of mine.\n`)).toMatch(/^Answer briefly\.\nMore of mine\.\n\n<!--/)
  expect(rules.withoutOurs(`${written}More of mine.\n`)).toBe('Answer briefly.\nMore of mine.\n')
})

test('a block whose end was lost is left alone: nobody knows where the rules of the person begin', () => {
  const text = `${rules.withOurs('Answer briefly.\n').replace(END, '')}More of mine.\n`
  expect(rules.hasOurs(text)).toBe(true)
  for (const edit of [rules.withOurs, rules.withoutOurs])
    expect(() => edit(text)).toThrow('/home/dev/global_rules.md')
})

test('so it is where a second block was added below it', () => {
  const first = `${rules.withOurs('').replace(END, '')}More of mine.\n`
  const text = `${first}\n${rules.withOurs('')}`
  for (const edit of [rules.withOurs, rules.withoutOurs])
    expect(() => edit(text)).toThrow('/home/dev/global_rules.md')
})
