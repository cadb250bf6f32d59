import './compile-cache.js'
import { isNewEnough, sayTooOld } from './find-node.js'

if (!isNewEnough) sayTooOld()
await import('../src/main.ts')
