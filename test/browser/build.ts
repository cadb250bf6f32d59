import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { newestIn } from '../support/newest.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    /** A file that all processes of a run write to: see accessible.ts. */
    judgedKinds: string
  }
}

const HERE = import.meta.dirname

/** Not in a run that was told to look at other files. */
async function isNeeded({ vitest }: TestProject): Promise<boolean> {
  const { filenamePattern } = vitest as unknown as { filenamePattern?: string[] }
  const files = await vitest.globTestSpecifications(filenamePattern)
  return files.some(({ moduleId }) => dirname(resolve(moduleId)) === HERE)
}

export default async function setup(project: TestProject): Promise<() => void> {
  if (await isNeeded(project)) buildApp()
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-judged-'))
  const file = join(folder, 'kinds')
  writeFileSync(file, '')
  project.provide('judgedKinds', file)
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Tests look at the app as it is written now, so a build older than its sources is made again. */
function buildApp(): void {
  const built = join(root, 'web/dist/index.html')
  const sources = [
    'web/src',
    'web/public',
    'web/index.html',
    'web/vite.config.ts',
    'src/shared',
    'src/redaction',
    'src/review',
    'src/text',
  ]
  const newest = Math.max(...sources.map((path) => newestIn(join(root, path))))
  if (existsSync(built) && statSync(built).mtimeMs > newest) return
  // In a process of its own: the test runner's NODE_ENV would put React's development build into it.
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', 'web', '--logLevel', 'error'],
    {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: 'inherit',
    },
  )
}
