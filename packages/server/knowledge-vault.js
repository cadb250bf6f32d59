#!/usr/bin/env node
// The command of the installed package, which is compiled: Node does not run TypeScript under node_modules.
import './compile-cache.js'
import { fileURLToPath } from 'node:url'
import { isNewEnough, runByBroughtNode } from './find-node.js'

if (isNewEnough) await import('../src/doors/cli/main.js')
else runByBroughtNode(fileURLToPath(import.meta.url))
