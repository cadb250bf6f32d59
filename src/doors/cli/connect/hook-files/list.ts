import { join } from 'node:path'
import { folderOf, geminiFolder, home } from '../../clients/client.ts'
import { dotConfig } from '../../folders.ts'
import { ownCommand } from '../../own-copy.ts'
import type { HookFile } from './hook-file.ts'
import { jsonHooks } from './json-hooks.ts'
import { markedBlock } from './marked-block.ts'
import { MARK, opencodePlugin } from './opencode-plugin.ts'
import { ownFile } from './own-file.ts'
import { HOOK_PLANS, hooksObject } from './plans.ts'
import { RULES } from './rules.ts'
import { shellWord } from './shell-word.ts'

/** The files of a client's hooks, and what a person has to do afterwards. */
export type ClientHooks = { files: readonly HookFile[]; after?: string }

const commandFor =
  (client: string) =>
  (event: string): string => {
    const { command, args } = ownCommand('hook', client, event)
    return [command, ...args].map((part) => shellWord(part)).join(' ')
  }

/** Our commands, including those of an earlier version: `kvault hook session-start`. */
const isOursFor =
  (client: string) =>
  (command: unknown): boolean => {
    const text = JSON.stringify(command) ?? ''
    const isFormer = client === 'claude-code' && / hook (?:session-start|stop)"/.test(text)
    return text.includes('kvault') && (isFormer || text.includes(` hook ${client} `))
  }

const inJson = (client: string, file: () => string, head?: object): HookFile =>
  jsonHooks({
    file,
    entries: () => HOOK_PLANS[client]?.entries(commandFor(client)) ?? [],
    isOurs: isOursFor(client),
    ...(head ? { head } : {}),
  })

const copilotHooks = (): string => {
  const hooks = hooksObject(HOOK_PLANS.copilot?.entries(commandFor('copilot')) ?? [])
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`
}

const opencodeFolder = (): string => process.env.OPENCODE_CONFIG_DIR || dotConfig('opencode')

const windsurfFolder = (...parts: string[]): string => home('.codeium', 'windsurf', ...parts)

const ownOpencodePlugin = (): string => {
  const { command, args } = ownCommand()
  return opencodePlugin([command, ...args])
}

const CLIENT_HOOKS: Record<string, ClientHooks> = {
  'claude-code': {
    files: [inJson('claude-code', () => join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json'))],
  },
  codex: {
    files: [inJson('codex', () => join(folderOf('CODEX_HOME', '.codex'), 'hooks.json'))],
    after: 'Codex runs hooks only after you have looked at them: start codex and open /hooks.',
  },
  gemini: {
    files: [inJson('gemini', () => join(geminiFolder(), 'settings.json'))],
  },
  opencode: {
    files: [ownFile(() => join(opencodeFolder(), 'plugins', 'knowledge-vault.js'), ownOpencodePlugin, MARK)],
  },
  cursor: { files: [inJson('cursor', () => home('.cursor', 'hooks.json'), { version: 1 })] },
  copilot: {
    files: [
      ownFile(
        () => join(folderOf('COPILOT_HOME', '.copilot'), 'hooks', 'knowledge-vault.json'),
        copilotHooks,
        ' hook copilot ',
      ),
    ],
  },
  windsurf: {
    files: [
      inJson('windsurf', () => windsurfFolder('hooks.json')),
      markedBlock(
        () => windsurfFolder('memories', 'global_rules.md'),
        () => RULES,
      ),
    ],
    after: 'Its hooks keep each exchange; a rule tells Cascade when to ask the vault.',
  },
}

export const hooksOf = (client: string): ClientHooks | undefined => CLIENT_HOOKS[client]
