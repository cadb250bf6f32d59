/**
 * Makes the two packages in packages/built: `kvault` for people who use a vault, and `knowledge-vault`, the server, compiled.
 *
 *   npm run package
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const BUILT = join(ROOT, 'packages', 'built')
const SERVER = join(BUILT, 'knowledge-vault')

const COMMAND_PARTS = [
  'package.json',
  'kvault.js',
  'cli.js',
  'hook.js',
  'hook-before.js',
  'hook-later.js',
  'hook-outgoing.js',
  'README.md',
  'LICENSE',
]

const inRoot = (...parts: string[]) => join(ROOT, ...parts)
const program = (...parts: string[]) => inRoot('node_modules', ...parts)
const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

function compile(): void {
  const compiler = program('typescript', 'bin', 'tsc')
  node(compiler, '-p', inRoot('packages', 'server'), '--outDir', join(SERVER, 'src'))
  // What the sources read besides code.
  for (const file of filesBelow(inRoot('src')).filter((name) => !/\.(ts|md)$/.test(name)))
    cpSync(file, join(SERVER, 'src', relative(inRoot('src'), file)))
}

function copyParts(): void {
  const parts = ['web/dist', 'docs/guide', 'LICENSE', 'README.md', 'CHANGELOG.md', '.env.example']
  const command = COMMAND_PARTS.map((name) => `packages/cli/${name}`)
  const launchers = ['bin/compile-cache.js', 'bin/find-node.js']
  for (const part of [...parts, ...command, ...launchers])
    cpSync(inRoot(part), join(SERVER, part), { recursive: true })
  cpSync(inRoot('packages', 'server', 'knowledge-vault.js'), join(SERVER, 'bin', 'knowledge-vault.js'))
}

/** Those that the compiled code names; the others only build the web app. */
function dependenciesOf(code: string, all: Record<string, string>): Record<string, string> {
  const isNamed = (name: string) => new RegExp(`['"]${name}(/[^'"]*)?['"]`).test(code)
  return Object.fromEntries(Object.entries(all).filter(([name]) => isNamed(name)))
}

function writeManifest(): void {
  const checkout = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
  const code = filesBelow(join(SERVER, 'src'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const { name, version, description, license, engines, optionalDependencies } = checkout
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { 'knowledge-vault': 'bin/knowledge-vault.js' },
    files: ['bin', 'src', 'web', 'docs', 'packages', 'CHANGELOG.md', '.env.example'],
    dependencies: dependenciesOf(code, checkout.dependencies),
    optionalDependencies,
    publishConfig: { access: 'public', provenance: true },
  }
  writeFileSync(join(SERVER, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const pack = (folder: string) =>
  execFileSync('npm', ['pack', folder, '--pack-destination', BUILT, '--silent'], {
    cwd: BUILT,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  }).trim()

rmSync(BUILT, { recursive: true, force: true })
mkdirSync(SERVER, { recursive: true })
for (const [config, ...mode] of [
  ['vite.config.ts'],
  ['vite.hook.config.ts'],
  ['vite.hook.config.ts', '--mode', 'before'],
] as const)
  node(program('vite', 'bin', 'vite.js'), 'build', '--config', inRoot('packages', 'cli', config), ...mode)
compile()
copyParts()
writeManifest()
for (const folder of [inRoot('packages', 'cli'), SERVER])
  process.stdout.write(`packages/built/${pack(folder)}\n`)
