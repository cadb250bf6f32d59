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
await import('./cli.js')
