import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SILENCE } from '../../src/doors/cli/hooks/agents.ts'
import { readProjectFiles } from '../../src/doors/cli/project-name.ts'
import { machine, play, type StandIn, standIn } from './stand-in.ts'

let vault: StandIn
let project: string
let remove: () => void

beforeEach(async () => {
  vault = await standIn()
  ;({ project, remove } = machine(vault))
})
afterEach(async () => {
  remove()
  await vault.close()
})

const write = (text: string | Buffer) => writeFileSync(join(project, '.kvault.json'), text)
const prompt = (folder = project) =>
  play('claude-code', 'UserPromptSubmit', {
    session_id: 's1',
    cwd: folder,
    prompt: 'Why is the watcher failing?',
  })

test('a byte order mark, comments and a trailing comma are read', async () => {
  write('\uFEFF{\n  // at work\n  "project_key": "org/app",\n  "hooks": { "off": ["start"], },\n}\n')
  expect(readProjectFiles(project)).toEqual({
    projectKey: 'org/app',
    keyFile: join(project, '.kvault.json'),
    off: ['start'],
    unreadable: [],
  })
  await prompt()
  expect(vault.asked[0]?.body.project_key).toBe('org/app')
  write('\uFEFF{ "hooks": false, }')
  expect(await prompt()).toEqual(SILENCE)
  expect(vault.asked).toHaveLength(1)
})

test.each([
  ['broken', '{ "hooks": '],
  ['no object', '[]'],
  ['in another encoding', Buffer.from('{"hooks": false}', 'utf16le')],
  ['too large', `{"a": "${'x'.repeat(70_000)}"}`],
])('a file that is %s switches everything off, in folders below too', async (_, text) => {
  write(text)
  const below = join(project, 'src')
  mkdirSync(below)
  expect(await prompt(below)).toEqual(SILENCE)
  expect(vault.asked).toEqual([])
  expect(readProjectFiles(below).unreadable).toEqual([join(project, '.kvault.json')])
})

test('an empty file says nothing', async () => {
  write('')
  await prompt()
  expect(vault.asked).toHaveLength(1)
})

test('where no name for the folder can be kept, the vault is asked all the same', async () => {
  const file = join(project, 'file')
  writeFileSync(file, '')
  vi.stubEnv('KVAULT_HOME', join(file, 'kvault'))
  const { output } = await prompt()
  expect(output).toContain('Raise the limit.')
  expect(vault.asked[0]?.body.project_key).toMatch(/^folder-/)
  rmSync(file)
})
