import { join } from 'node:path'
import { defineConfig } from 'vite'

const root = join(import.meta.dirname, '..', '..')

/** The hooks of agents: a small program, and what only the end of an exchange loads; in mode `before` the one before a tool. */
export default defineConfig(({ mode }) => ({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: join(root, 'src', 'doors', 'cli', 'hooks', mode === 'before' ? 'before.ts' : 'main.ts'),
    target: 'node20',
    outDir: import.meta.dirname,
    emptyOutDir: false,
    minify: true,
    rolldownOptions: {
      output: {
        entryFileNames: mode === 'before' ? 'hook-before.js' : 'hook.js',
        chunkFileNames: 'hook-[name].js',
      },
    },
  },
}))
