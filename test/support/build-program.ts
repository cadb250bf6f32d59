import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import { newestIn } from './newest.ts'
import { PROGRAM, repository } from './process.ts'

const ENTRIES: Record<keyof typeof PROGRAM, string> = {
  serve: 'bin/serve.js',
  kvault: 'bin/kvault.js',
  commands: 'test/support/command-child.ts',
  crash: 'test/support/crash-child.ts',
}

/** Packages that look for files of their own beside their modules stay where they are. All others are put in. */
const STAY = ['@node-rs/argon2', '@fastify/swagger-ui', 'vite']

/** A module looks for its files beside its source, not beside what is made of it. */
const AT_ITS_SOURCE: Plugin = {
  name: 'at-its-source',
  enforce: 'pre',
  transform: (code, id) =>
    code.includes('import.meta.url')
      ? { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
      : null,
}

function isUpToDate(): boolean {
  if (!Object.values(PROGRAM).every((file) => existsSync(file))) return false
  const sources = ['src', 'package-lock.json', import.meta.filename, ...Object.values(ENTRIES)]
  const newest = Math.max(...sources.map((path) => newestIn(resolve(repository, path))))
  return statSync(PROGRAM.serve).mtimeMs > newest
}

/**
 * Puts the program into few files, made of the sources as they are now, if that was not done yet. To find and link its
 * more than thousand modules is 40 % of the work of a start, and the tests start it more than a hundred times.
 */
export async function buildProgram(): Promise<void> {
  if (isUpToDate()) return
  const folder = dirname(PROGRAM.serve)
  mkdirSync(dirname(folder), { recursive: true })
  const made = mkdtempSync(`${folder}-`)
  await build({
    root: repository,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [AT_ITS_SOURCE],
    ssr: { noExternal: true, external: STAY, target: 'node' },
    build: {
      ssr: true,
      target: 'node24',
      minify: false,
      outDir: made,
      rolldownOptions: { input: ENTRIES, output: { entryFileNames: '[name].js' } },
    },
  })
  // Otherwise Node would read each file twice, to find out what it is.
  writeFileSync(join(made, 'package.json'), '{ "type": "module" }\n')
  rmSync(folder, { recursive: true, force: true })
  renameSync(made, folder)
}
