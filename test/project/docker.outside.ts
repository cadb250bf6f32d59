/**
 * No engine is needed: the stages of the Dockerfile are played in clean folders, with the same files and the same
 * commands, and the program is started from what would be in the image.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/postgres.ts'
import { repository } from '../support/process.ts'
import { all, commandOf, copyOf, dockerfile, isSent, type Stage, variablesOf } from './dockerfile.ts'

/** Makes the folder of the volume outside the application; the test gives the program a folder of its own. */
const NOT_PLAYED = ['mkdir -p /data && chown node:node /data']
const APP = 'app'

let folder: string
let server: ChildProcess | undefined
const stages = dockerfile()
const last = stages.at(-1) as Stage
const stageFolder = (stage: string) => join(folder, stage || 'image')

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-image-'))
})
afterAll(() => {
  server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

function copy(stage: Stage, text: string): void {
  const { from, sources, target } = copyOf(text)
  for (const source of sources) {
    const into = join(
      stageFolder(stage.name),
      APP,
      target.endsWith('/') ? join(target, basename(source)) : target,
    )
    mkdirSync(join(into, '..'), { recursive: true })
    if (from) renameSync(join(stageFolder(from), source), into)
    else
      cpSync(join(repository, source), into, {
        recursive: true,
        filter: (path) => isSent(relative(repository, path)),
      })
  }
}

function play(stage: Stage): void {
  mkdirSync(join(stageFolder(stage.name), APP), { recursive: true })
  for (const { name, text } of stage.instructions) {
    if (name === 'COPY') copy(stage, text)
    if (name === 'RUN' && !NOT_PLAYED.includes(text))
      execFileSync('sh', ['-c', text], {
        cwd: join(stageFolder(stage.name), APP),
        env: { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_prefer_offline: 'true' },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
  }
}

test('the stages can be played, and what they give starts, is healthy and serves everything', async () => {
  for (const stage of stages) play(stage)
  const dataDir = join(folder, 'data')
  const port = String(await freePort())
  const env = {
    ...variablesOf(all(last, 'ENV').join(' ')),
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: port,
    DATA_DIR: dataDir,
  }
  const [, ...args] = commandOf(all(last, 'CMD')[0] ?? '')
  let output = ''
  server = spawn(process.execPath, args, { cwd: join(stageFolder(''), APP), env })
  server.stdout?.on('data', (chunk) => (output += chunk))
  server.stderr?.on('data', (chunk) => (output += chunk))
  const ended = new Promise<number | null>((resolve) => server?.once('exit', resolve))

  const [, ...check] = commandOf(all(last, 'HEALTHCHECK')[0] ?? '')
  const isHealthy = () => {
    try {
      execFileSync(process.execPath, check, { env, stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  expect(isHealthy(), 'before it is up').toBe(false)
  for (let attempt = 0; attempt < 100 && !isHealthy() && server.exitCode === null; attempt++) await sleep(100)
  expect(isHealthy(), output).toBe(true)

  const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
  for (const path of ['/', '/guide/cards', '/docs', '/openapi.json', '/mcp/manifest']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: page })
    expect(answer.status, path).toBe(200)
  }
  server.kill('SIGTERM')
  expect(await ended).toBe(0)
})
