#!/usr/bin/env node
// The command of a checkout. It runs the sources as they are; on an older Node, what needs no server runs as the package has it.
import './compile-cache.js'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isNewEnough, runByBroughtNode } from './find-node.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const isHook = process.argv[2] === 'hook'
/** Before a tool, a small program looks whether there is anything to say. */
const isBefore = isHook && process.argv[4] === 'PreToolUse' && !process.env.KVAULT_HOOK_NAMED
const built = join(root, 'packages', 'cli', isBefore ? 'hook-before.js' : isHook ? 'hook.js' : 'cli.js')
/** Agents wait for these, and start them often: one start of Node has to be enough. */
const FOR_AGENTS = ['mcp', 'hook']

if (isNewEnough && isBefore) await import('../src/doors/cli/hooks/before.ts')
else if (isNewEnough)
  await (isHook ? import('../src/doors/cli/hooks/main.ts') : import('../src/doors/cli/main.ts'))
else if (FOR_AGENTS.includes(process.argv[2]) && existsSync(built)) await import(pathToFileURL(built).href)
else runByBroughtNode(fileURLToPath(import.meta.url))
