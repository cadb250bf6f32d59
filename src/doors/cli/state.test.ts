import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type MineState, readState, type Waiting, writeState } from './mine.ts'

const url = 'http://127.0.0.1:1'
const anna = { url, apiKey: 'kv_anna', userId: 'anna' }
const EMPTY: MineState = { read: {}, waiting: [] }

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-mine-'))
  vi.stubEnv('KVAULT_HOME', home)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

test('each account of a vault has its own state, also after its key is renewed', () => {
  const state = { read: { 'a.jsonl': '1' }, waiting: [] }
  writeState(anna, state)
  expect(readState({ ...anna, apiKey: 'kv_renewed' })).toEqual(state)
  for (const other of [
    { ...anna, userId: 'bob' },
    { url, apiKey: 'kv_bob' },
    { ...anna, url: 'http://x' },
  ])
    expect(readState(other), JSON.stringify(other)).toEqual(EMPTY)
})

test('of more than can wait, the most useful stay, in whatever order they were found', () => {
  const waitingWith = (attempts: number): Waiting => ({
    candidate: {
      command: 'npm test',
      failure: `it fails ${attempts}`,
      success: '',
      attempts,
      commands: [],
      files: [],
      environment: {},
      exit_code: null,
      report: '',
    },
    project_key: null,
    session_id: 's1',
    client: 'codex-mine',
  })
  const waiting = Array.from({ length: 150 }, (_, at) => waitingWith(at < 75 ? 0 : 4))
  writeState(anna, { read: {}, waiting })
  const kept = readState(anna).waiting.map(({ candidate }) => candidate.attempts)
  expect(kept).toHaveLength(100)
  expect(kept.filter((attempts) => attempts === 4)).toHaveLength(75)
})

test('a state of an earlier version is nobody’s: it is not read, and goes with the next write', () => {
  mkdirSync(home, { recursive: true })
  const file = join(home, 'mine.json')
  writeFileSync(file, JSON.stringify({ [url]: { read: { 'a.jsonl': '1' }, waiting: [] } }))
  expect(readState(anna)).toEqual(EMPTY)
  writeState(anna, EMPTY)
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual([`${url} anna`])
})
