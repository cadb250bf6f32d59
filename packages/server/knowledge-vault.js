#!/usr/bin/env node
// The command of the installed package, which is compiled: Node does not run TypeScript under node_modules.
import './compile-cache.js'
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { broughtNode, isNewEnough, sayTooOld } from './find-node.js'

const main = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'doors', 'cli', 'main.js')

if (isNewEnough) await import(pathToFileURL(main).href)
else {
  const node = broughtNode()
  if (!node) sayTooOld()
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A stop of the command is one of the service.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
