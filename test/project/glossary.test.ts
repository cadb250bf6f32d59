import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SCOPES } from '../../src/core/scopes.ts'
import { EventType } from '../../src/features/memory/schemas.ts'
import { repository } from '../support/process.ts'

const glossary = readFileSync(join(repository, 'docs', 'glossary.md'), 'utf8')
const WORDS = [...glossary.matchAll(/^\| ([^|]+) \|/gm)]
  .map(([, word = '']) => word)
  .filter((word) => word !== 'word' && word !== '---')
  .flatMap((word) => word.split(', '))

test('each word is explained once', () => {
  expect(WORDS.length).toBeGreaterThan(60)
  expect(WORDS.filter((word, index) => WORDS.indexOf(word) !== index)).toEqual([])
})

test('the words of the interface are among them', () => {
  const asked = [
    'card',
    'case',
    'event',
    'turn',
    'project',
    'workspace',
    'library',
    'credit',
    'verdict',
    'hit',
  ]
  for (const word of [...asked, 'score', 'confidence', 'draft', 'notice', 'evidence', 'raw material'])
    expect(WORDS).toContain(word)
  for (const name of [...SCOPES, ...EventType.options]) expect(glossary).toContain(`\`${name}\``)
})

/** Each of these once had several meanings; the glossary says which words took them over. */
const FORBIDDEN = /(?<!re|mis)place(?!holder)|waitingline|nextturn|inturns|chatturn/i

test('no name is made of a word that the glossary leaves out', () => {
  const files = execFileSync('git', ['ls-files', 'src', 'test', 'web/src', 'bench', 'scripts'], {
    cwd: repository,
    encoding: 'utf8',
  })
  const named = files
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(repository, file), 'utf8')
      const names = [...text.matchAll(/\b(?:const|let|function|class|type) (\w+)/g)].map(
        ([, name = '']) => name,
      )
      return [file, ...names].map((name) => ({ file, name }))
    })
  expect(named.length).toBeGreaterThan(5000)
  expect(named.filter(({ name }) => FORBIDDEN.test(name))).toEqual([])
})
