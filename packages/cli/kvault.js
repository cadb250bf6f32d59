#!/usr/bin/env node
// Read by old versions of Node too, which get one line instead of a syntax error. The cache is on before the program is read.
import module from 'node:module'

if (Number(process.versions.node.split('.')[0]) < 20) {
  process.stderr.write(
    `kvault needs Node 20 or newer; this is ${process.versions.node}. Install it: https://nodejs.org\n`,
  )
  process.exit(2)
}
if (module.enableCompileCache) module.enableCompileCache()
// Agents wait for a hook, so it does not load the commands.
await import(process.argv[2] === 'hook' ? './hook.js' : './cli.js')
