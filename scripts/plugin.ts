// Bundles what the Claude Code plugin runs, so that an installed plugin needs nothing but Node: npm run build:plugin
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const ROOT = join(import.meta.dirname, '..')
export const PLUGIN = join(ROOT, 'plugins', 'claude-code')
const ENTRIES = { 'hook.mjs': 'plugin-hook.ts', 'mcp.mjs': 'plugin-mcp.ts' }
const HEAD = '// Made by npm run build:plugin from src/doors/cli. Do not edit.\n'

async function bundle(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    build: {
      ssr: join(ROOT, 'src', 'doors', 'cli', entry),
      target: 'node20',
      write: false,
      minify: false,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [chunk] = Array.isArray(built)
    ? built.flatMap(({ output }) => output)
    : 'output' in built
      ? built.output
      : []
  if (chunk?.type !== 'chunk') throw new Error(`${entry} gave no program`)
  return HEAD + chunk.code
}

/** The files of the plugin that are made, by their names. */
export async function pluginFiles(): Promise<[name: string, text: string][]> {
  const files: [string, string][] = []
  for (const [name, entry] of Object.entries(ENTRIES)) files.push([name, await bundle(entry)])
  return files
}

if (import.meta.main) for (const [name, text] of await pluginFiles()) writeFileSync(join(PLUGIN, name), text)
