import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { interfacePage } from '../../scripts/docs-interface.ts'
import { capabilities } from '../../src/capabilities.ts'
import { toolsOf } from '../../src/core/invoke.ts'
import { repository } from '../support/process.ts'

test('`npm run docs` writes every call and every tool into one page', () => {
  const page = interfacePage()
  const routes = capabilities.flatMap(({ rest = [] }) => rest)
  expect(routes.length).toBeGreaterThan(100)
  expect(routes.filter((route) => !page.includes(`\`${route}\``))).toEqual([])
  expect(toolsOf(capabilities).filter(({ tool }) => !page.includes(`| \`${tool.name}\` |`))).toEqual([])
})

test('every relative link of a Markdown page leads to a file', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: repository, encoding: 'utf8' }).split('\n')
  const dead = pages.filter(Boolean).flatMap((page) => {
    const text = readFileSync(join(repository, page), 'utf8').replaceAll(
      /^(`{3,})[\s\S]*?^\1|`[^`\n]*`/gm,
      '',
    )
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, address = '']) => address.replace(/#.*/, ''))
      .filter((address) => address !== '' && !/^[a-z]+:/.test(address))
      .filter((address) => !existsSync(join(repository, normalize(join(dirname(page), address)))))
      .map((address) => `${page}: ${address}`)
  })
  expect(dead).toEqual([])
})
