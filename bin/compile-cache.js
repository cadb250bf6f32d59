// Plain JavaScript, so that the cache is on before the first TypeScript is read: stripped and compiled sources are
// kept between starts, and a later start need not load the stripper at all.
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

// Node 20, which may run the launcher, has no such cache.
module.enableCompileCache?.(join(root, 'node_modules', '.cache', 'knowledge-vault'))
