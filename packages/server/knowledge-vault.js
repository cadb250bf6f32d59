#!/usr/bin/env node
// The command of the installed package, which is compiled: Node does not run TypeScript under node_modules.
import './compile-cache.js'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isNewEnough, runByBroughtNode } from './find-node.js'

const main = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'doors', 'cli', 'main.js')

if (isNewEnough) await import(pathToFileURL(main).href)
else runByBroughtNode(main)
