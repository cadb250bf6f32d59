import './compile-cache.js'

await import('../src/main.ts')
