import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vite'

const root = join(import.meta.dirname, '..', '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** One file with everything in it, so that nothing has to be fetched. */
export default defineConfig({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  // The sources read it from package.json, which the bundle does not have where they look.
  plugins: [
    {
      name: 'version',
      load: (id) =>
        id.replaceAll('\\', '/').endsWith('/src/core/version.ts')
          ? `export const VERSION = ${JSON.stringify(version)}`
          : null,
    },
  ],
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: join(root, 'src', 'doors', 'cli', 'client-main.ts'),
    target: 'node20',
    outDir: import.meta.dirname,
    emptyOutDir: false,
    minify: true,
    rolldownOptions: { output: { entryFileNames: 'cli.js', codeSplitting: false } },
  },
})
