import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import {
  type CommandFor,
  HOOK_PLANS,
  hooksObject,
  opencodePlugin,
  RULES,
} from '../src/doors/cli/connect/hook-plans.ts'

// Makes the files of the plugins: npm run build:plugin. The programs of the Claude Code plugin are bundled, so that an
// installed plugin needs nothing but Node; they are not in git. The other plugins start the command `kvault`.

const ROOT = join(import.meta.dirname, '..')
const PLUGINS = join(ROOT, 'plugins')
export const PLUGIN = join(PLUGINS, 'claude-code')
const ENTRIES = { hook: 'plugin-hook.ts', 'hook-before': 'hooks/before.ts', mcp: 'plugin-mcp.ts' }
const HEAD = '// Made by npm run build:plugin from src/doors/cli. Do not edit.\n'

/** A program and the parts that it loads only where it needs them: `hook.mjs`, `hook-outgoing.mjs` and `hook-later.mjs`. */
async function bundle(name: string, entry: string): Promise<[name: string, text: string][]> {
  const built = await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    // Packages are bundled too: an installed plugin has no node_modules.
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(ROOT, 'src', 'doors', 'cli', entry),
      target: 'node20',
      write: false,
      minify: false,
      rolldownOptions: {
        output: {
          entryFileNames: `${name}.mjs`,
          chunkFileNames: `${name}-[name].mjs`,
        },
      },
    },
  })
  const outputs = Array.isArray(built) ? built : 'output' in built ? [built] : []
  const chunks = outputs.flatMap(({ output }) => output).filter((part) => part.type === 'chunk')
  if (chunks.length === 0) throw new Error(`${entry} gave no program`)
  return chunks.map(({ fileName, code }) => [fileName, HEAD + code])
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

const hooksOf = (agent: string, commandFor: CommandFor = (event) => `kvault hook ${agent} ${event}`) =>
  hooksObject(HOOK_PLANS[agent]?.entries(commandFor) ?? [])

/** Files of hooks, from the same plans by which `kvault connect` writes them. They are in git, so that people can copy them. */
export function hookFiles(): [name: string, text: string][] {
  const inPlugin: CommandFor = (event) =>
    `node "\${CLAUDE_PLUGIN_ROOT}/${event === 'PreToolUse' ? 'hook-before' : 'hook'}.mjs" claude-code ${event}`
  const description = 'Brings what the vault knows at each moment, and keeps each exchange.'
  return [
    ['claude-code/hooks/hooks.json', json({ description, hooks: hooksOf('claude-code', inPlugin) })],
    ['codex/hooks.json', json({ hooks: hooksOf('codex') })],
    ['gemini/hooks/hooks.json', json({ hooks: hooksOf('gemini') })],
    ['cursor/hooks.json', json({ version: 1, hooks: hooksOf('cursor') })],
    ['copilot/hooks.json', json({ version: 1, hooks: hooksOf('copilot') })],
    ['windsurf/hooks.json', json({ hooks: hooksOf('windsurf') })],
    ['windsurf/rules.md', RULES.trimStart()],
    ['opencode/knowledge-vault.js', opencodePlugin(['kvault'])],
  ]
}

/** Writes the programs of the Claude Code plugin into a folder. */
export async function writePrograms(folder: string): Promise<void> {
  for (const [name, entry] of Object.entries(ENTRIES))
    for (const [file, text] of await bundle(name, entry)) writeFileSync(join(folder, file), text)
}

if (import.meta.main) {
  for (const [name, text] of hookFiles()) writeFileSync(join(PLUGINS, name), text)
  await writePrograms(PLUGIN)
}
