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
// Agents wait for a hook, so it does not load the commands. Before a tool, a small program looks whether there is anything to say.
const [, , command, , event] = process.argv
const isBefore = event === 'PreToolUse' && !process.env.KVAULT_HOOK_NAMED
await import(command !== 'hook' ? './cli.js' : isBefore ? './hook-before.js' : './hook.js')
