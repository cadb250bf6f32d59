// Bundles what the Claude Code plugin runs, so that an installed plugin needs nothing but Node: npm run build:plugin
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const ROOT = join(import.meta.dirname, '..')
export const PLUGIN = join(ROOT, 'plugins', 'claude-code')
const ENTRIES = { hook: 'plugin-hook.ts', mcp: 'plugin-mcp.ts' }
const HEAD = '// Made by npm run build:plugin from src/doors/cli. Do not edit.\n'

/** A program and the parts that it loads only where it needs them: `hook.mjs`, `hook-later.mjs`, `hook-shared.mjs`. */
async function bundle(name: string, entry: string): Promise<[name: string, text: string][]> {
  const built = await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    build: {
      ssr: join(ROOT, 'src', 'doors', 'cli', entry),
      target: 'node20',
      write: false,
      minify: false,
      rolldownOptions: {
        output: {
          entryFileNames: `${name}.mjs`,
          chunkFileNames: ({ isDynamicEntry }) => `${name}-${isDynamicEntry ? 'later' : 'shared'}.mjs`,
        },
      },
    },
  })
  const outputs = Array.isArray(built) ? built : 'output' in built ? [built] : []
  const chunks = outputs.flatMap(({ output }) => output).filter((part) => part.type === 'chunk')
  if (chunks.length === 0) throw new Error(`${entry} gave no program`)
  return chunks.map(({ fileName, code }) => [fileName, HEAD + code])
}

/** The files of the plugin that are made, by their names. */
export async function pluginFiles(): Promise<[name: string, text: string][]> {
  const files: [string, string][] = []
  for (const [name, entry] of Object.entries(ENTRIES)) files.push(...(await bundle(name, entry)))
  return files
}

if (import.meta.main) for (const [name, text] of await pluginFiles()) writeFileSync(join(PLUGIN, name), text)
