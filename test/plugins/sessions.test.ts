import { execFile } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  keepEnvironment,
  note,
  noteRun,
  readJournal,
  readSession,
  rememberSession,
  sessionFile,
  takeJournal,
} from '../../src/doors/cli/hooks/state.ts'
import { machine, type StandIn, standIn } from './stand-in.ts'

let vault: StandIn
let home: string
let project: string
let remove: () => void

beforeEach(async () => {
  vault = await standIn()
  ;({ home, project, remove } = machine(vault))
})
afterEach(async () => {
  remove()
  await vault.close()
})

/** A second name for a file keeps the text of a file that was replaced, and shows that of one that was written in place. */
function replaces(file: string, write: () => void): boolean {
  const before = readFileSync(file, 'utf8')
  linkSync(file, join(project, 'second-name'))
  write()
  const kept = readFileSync(join(project, 'second-name'), 'utf8')
  return kept === before && readFileSync(file, 'utf8') !== before
}

const filesIn = (folder: string): string[] => readdirSync(join(home, folder))

test('what a hook remembers is replaced as a whole, for its owner alone: who is killed leaves no half of a file', () => {
  rememberSession('s1', { shown: ['card-1'], compacted: true })
  const add = () => rememberSession('s1', ({ shown = [] }) => ({ shown: [...shown, 'card-2'] }))
  expect(replaces(sessionFile('s1', '.json'), add)).toBe(true)
  expect(readSession('s1')).toEqual({ shown: ['card-1', 'card-2'], compacted: true })
  expect(statSync(sessionFile('s1', '.json')).mode & 0o777).toBe(0o600)
  expect(filesIn('sessions')).toHaveLength(1)
})

test('so are the last run of a moment, and the versions of a project', () => {
  noteRun('codex', 'prompt', { ms: 1, chars: 1 })
  const run = join(home, 'hook-runs', 'codex.prompt.json')
  expect(replaces(run, () => noteRun('codex', 'prompt', { ms: 2, chars: 2 }))).toBe(true)
  keepEnvironment('/a', { node: '20' })
  const [name = ''] = filesIn('environments')
  linkSync(join(home, 'environments', name), join(home, 'first'))
  keepEnvironment('/a', { node: '24' })
  expect(readFileSync(join(home, 'first'), 'utf8')).toBe('{"node":"20"}')
})

test('the lock of a hook that was killed stops no other', () => {
  mkdirSync(join(home, 'sessions'), { recursive: true })
  writeFileSync(sessionFile('s1', '.lock'), 'of another')
  rememberSession('s1', { compacted: true })
  expect(readSession('s1').compacted).toBe(true)
})

const LOCK = new URL('../../src/doors/cli/hooks/state.ts', import.meta.url).href
/** Reads, adds and writes, as a note does. */
const ADDS = `
import { readFileSync, writeFileSync } from 'node:fs'
const { withLock } = await import(process.argv[1])
const [, , file, name] = process.argv
for (let at = 0; at < 60; at++)
  withLock(file + '.lock', { patienceMs: 60000, staleMs: 60000 }, () => {
    const former = readFileSync(file, 'utf8')
    writeFileSync(file, former + name)
  })`

test('of programs that note something at once, every note stays', async () => {
  const file = join(project, 'notes')
  writeFileSync(file, '')
  const names = ['a', 'b']
  await Promise.all(
    names.map((name) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', ADDS, LOCK, file, name]),
    ),
  )
  const noted = readFileSync(file, 'utf8')
  for (const name of names) expect(noted.split(name).length - 1, name).toBe(60)
})

test('a journal that words alone have filled begins again with the latest', () => {
  const words = 'a b '.repeat(5000)
  for (let count = 0; count < 220; count++) note('s1', { prompt: `${count} ${words}` })
  const prompts = readJournal('s1').map((entry) =>
    'prompt' in entry ? Number.parseInt(entry.prompt, 10) : 0,
  )
  expect(prompts.at(-1)).toBe(219)
  expect(prompts.length).toBeLessThan(220)
})

test('half of a line in the journal costs no other line', () => {
  note('s1', { prompt: 'first' })
  appendFileSync(sessionFile('s1', '.jsonl'), '{"prompt":"of a full di')
  note('s1', { reply: 'second' })
  expect(readJournal('s1')).toEqual([{ prompt: 'first' }, { reply: 'second' }])
  expect(takeJournal('s1', (entries) => entries)).toHaveLength(2)
  expect(filesIn('sessions')).toEqual([])
})

test('what could not be used is in the journal again, before what came in meanwhile', () => {
  note('s1', { prompt: 'first' })
  const use = () =>
    takeJournal('s1', () => {
      note('s1', { reply: 'second' })
      throw new Error('no room')
    })
  expect(use).toThrow('no room')
  expect(readJournal('s1')).toEqual([{ prompt: 'first' }, { reply: 'second' }])
  expect(filesIn('sessions')).toHaveLength(1)
})

const JOURNAL = new URL('../../src/doors/cli/hooks/state.ts', import.meta.url).href
const NOTES = 1500
const NOTES_MUCH = `
const { note } = await import(process.argv[1])
for (let at = 0; at < ${NOTES}; at++) note('s1', { prompt: String(at) })`

test('a note of the moment in which the journal is taken is in it, or in the next', async () => {
  let isOver = false
  const noting = promisify(execFile)(process.execPath, ['--input-type=module', '-e', NOTES_MUCH, JOURNAL])
  void noting.finally(() => {
    isOver = true
  })
  let taken = 0
  const takeAll = () => takeJournal('s1', ({ length }) => (taken += length))
  for (; !isOver; takeAll()) await new Promise((resolve) => setTimeout(resolve, 1))
  await noting
  takeAll()
  expect(taken).toBe(NOTES)
})
