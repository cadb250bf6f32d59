import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { envExample } from '../../scripts/env-example.ts'
import { Environment, readConfig } from '../../src/config.ts'
import { repository } from '../support/process.ts'

const read = (file: string) => readFileSync(join(repository, file), 'utf8')

test('.env.example is what `npm run docs` makes of src/config.ts', () => {
  expect(read('.env.example')).toBe(envExample())
})

test('with every line of .env.example taken in, the settings are the defaults', () => {
  const taken = parseEnv(read('.env.example').replaceAll(/^#(?=[A-Z_]+=)/gm, ''))
  expect(Object.keys(taken).sort()).toEqual(Object.keys(Environment.shape).sort())
  expect(readConfig(taken)).toEqual(readConfig({}))
})

test('the guide names every setting', () => {
  const page = read('docs/guide/operating.md')
  expect(Object.keys(Environment.shape).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('every program of the server reads the settings file too', () => {
  const sources = globSync('src/**/*.ts', { cwd: repository })
  expect(sources.filter((file) => read(file).includes('readConfig(process.env)'))).toEqual([])
})
