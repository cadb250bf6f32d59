#!/usr/bin/env node
// The command is TypeScript, run as it is by the Node 24 that the package brings; this file runs on older ones too.
import './compile-cache.js'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const main = join(root, 'src', 'doors', 'cli', 'main.ts')

/** Installed as a dependency, the package's own dependencies may lie beside it instead of inside it. */
function node24() {
  const names = process.platform === 'win32' ? ['node.cmd', 'node.exe'] : ['node']
  const folders = [join(root, 'node_modules', '.bin'), join(root, '..', '.bin')]
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync)
}

if (Number(process.versions.node.split('.')[0]) >= 24) await import(main)
else {
  const node = node24()
  if (!node) {
    process.stderr.write(
      'kvault needs Node 24 or newer, and the package did not bring one for this platform.\n',
    )
    process.exit(2)
  }
  const { status } = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
