// Clients that strangers generate from /openapi.json: they compile, know the schemas by name, and work.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { installed, type Outcome, runIn } from '../support/outside.ts'
import { repository } from '../support/process.ts'

let vault: LiveVault
let key: string
beforeAll(async () => {
  vault = await liveVault()
  key = await apiKeyOf(await registerPerson(vault))
})
afterAll(() => vault.close())

const GENERATORS: [
  program: string,
  generate: (description: string, into: string) => [string, ...string[]],
][] = [
  [
    'openapi-fetch',
    (description, into) => [
      installed('contract', 'openapi-typescript', 'bin', 'cli.js'),
      // Fields with a default may be left out of what is sent.
      ...[description, '--output', join(into, 'api.ts'), '--default-non-nullable=false'],
    ],
  ],
  [
    'hey-api',
    (description, into) => [
      installed('contract', '@hey-api', 'openapi-ts', 'bin', 'run.js'),
      ...['--input', description, '--output', into],
    ],
  ],
]

const TYPESCRIPT = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(repository, 'node_modules', '@types')],
    rootDir: '.',
    outDir: 'built',
  },
  files: ['program.ts'],
}

test.each(GENERATORS)('a program on the client of %s type-checks and works', async (program, generate) => {
  // Beside the generators' own packages, where the compiler finds them.
  const folder = mkdtempSync(join(installed('contract'), '..', '.generated-'))
  const node = (...args: string[]): Promise<Outcome> => runIn(folder, process.execPath, args)
  try {
    const description = join(folder, 'openapi.json')
    writeFileSync(description, await (await fetch(`${vault.url}/openapi.json`)).text())
    mkdirSync(join(folder, 'generated'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TYPESCRIPT))
    cpSync(join(import.meta.dirname, 'programs', `${program}.ts`), join(folder, 'program.ts'))

    const generated = await node(...generate(description, join(folder, 'generated')))
    expect(generated.code, generated.out).toBe(0)
    const compiled = await node(installed('contract', 'typescript', 'bin', 'tsc'), '--project', folder)
    expect(compiled.out.trim()).toBe('')
    const answered = await node(join(folder, 'built', 'program.js'), vault.url, key)
    expect(answered.code, answered.out).toBe(0)
    expect(JSON.parse(answered.out)).toMatchObject({ version: 2, isCalled: 'search_records', language: 'en' })
    expect(JSON.parse(answered.out).first).toMatch(/^[0-9a-f-]{36}$/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
