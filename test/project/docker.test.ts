import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { Environment } from '../../src/config.ts'
import { repository } from '../support/process.ts'
import { all, commandOf, copyOf, dockerfile, isSent, variablesOf } from './dockerfile.ts'

const read = (file: string) => readFileSync(join(repository, file), 'utf8')
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts
const stages = dockerfile()
const last = stages.at(-1)
if (!last) throw new Error('The Dockerfile has no stage.')

describe('the Dockerfile', () => {
  const copies = stages.flatMap((stage) => all(stage, 'COPY').map(copyOf))

  test('copies only what exists and reaches the engine', () => {
    const fromHere = copies.filter((copy) => copy.from === undefined).flatMap((copy) => copy.sources)
    expect(fromHere.length).toBeGreaterThan(5)
    expect(fromHere.filter((source) => !existsSync(join(repository, source)))).toEqual([])
    expect(fromHere.filter((source) => !isSent(source))).toEqual([])
  })

  test('copies between stages that exist, in their order', () => {
    for (const [index, stage] of stages.entries())
      for (const copy of all(stage, 'COPY').map(copyOf))
        if (copy.from) expect(stages.slice(0, index).map(({ name }) => name)).toContain(copy.from)
  })

  test('runs npm scripts that exist', () => {
    const named = stages.flatMap((stage) =>
      all(stage, 'RUN').flatMap((text) => [...text.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name)),
    )
    expect(named).not.toEqual([])
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  test('ends without root, with a volume for the data and a check of health', () => {
    expect(all(last, 'USER')).toEqual(['node'])
    const settings = variablesOf(all(last, 'ENV').join(' '))
    expect(all(last, 'VOLUME')).toEqual([settings.DATA_DIR])
    expect(all(last, 'EXPOSE')).toEqual([settings.PORT])
    expect(commandOf(all(last, 'HEALTHCHECK')[0] ?? '').at(-1)).toContain('/health/ready')
    expect(Object.keys(settings).filter((name) => !(name in Environment.shape))).toEqual([])
  })

  test('starts the program with the flags of npm start', () => {
    expect(commandOf(all(last, 'CMD')[0] ?? '').join(' ')).toBe(scripts.start)
  })

  test('uses the Node that .nvmrc names', () => {
    const major = read('.nvmrc').trim()
    for (const { image } of stages) expect(image).toBe(`node:${major}-slim`)
    expect(Number(major)).toBe(Number(process.versions.node.split('.')[0]))
  })
})

test('.dockerignore keeps secrets, data and tests at home, and sends every source', () => {
  for (const path of [
    '.env',
    'data/vault.db',
    '.git/config',
    'node_modules/zod/package.json',
    'web/dist/index.html',
  ])
    expect(isSent(path), path).toBe(false)
  const sources = globSync('{src,bin,docs/guide}/**/*', { cwd: repository }).filter(
    (path) => statSync(join(repository, path)).isFile() && !path.endsWith('.test.ts'),
  )
  expect(sources.length).toBeGreaterThan(200)
  expect(sources.filter((path) => !isSent(path))).toEqual([])
})

describe.each(['compose.yaml', 'compose.postgres.yaml'])('%s', (file) => {
  const { services, volumes } = parse(read(file))

  test('sets only settings that exist', () => {
    const names = Object.keys(services.vault.environment)
    expect(names).not.toEqual([])
    expect(names.filter((name) => !(name in Environment.shape))).toEqual([])
  })

  test('declares the volumes that it mounts', () => {
    const mounted = Object.values(services as Record<string, { volumes?: string[] }>).flatMap(
      (service) => service.volumes ?? [],
    )
    expect(mounted.map((volume) => volume.split(':')[0])).toEqual(Object.keys(volumes))
  })

  test('waits only for services that it has, and for their health', () => {
    for (const [name, { condition }] of Object.entries(
      (services.vault.depends_on ?? {}) as Record<string, { condition: string }>,
    )) {
      expect(condition).toBe('service_healthy')
      expect(services[name].healthcheck).toBeDefined()
    }
  })
})

test('the guide starts a vault on PostgreSQL again as one on PostgreSQL', () => {
  const [, page = ''] = read('docs/guide/docker.md').split('## On PostgreSQL')
  expect(page).toContain('COMPOSE_FILE=compose.yaml:compose.postgres.yaml')
  // Files that are named in one command alone are forgotten by the next one.
  expect(page).not.toMatch(/docker compose -f/)
})

test('compose publishes the port of the image on loopback and keeps the data in its volume', () => {
  const { vault } = parse(read('compose.yaml')).services
  const settings = variablesOf(all(last, 'ENV').join(' '))
  expect(vault.ports).toEqual([`127.0.0.1:${settings.PORT}:${settings.PORT}`])
  expect(vault.volumes).toEqual([`vault-data:${settings.DATA_DIR}`])
  expect(vault.environment.HOST).toBe('0.0.0.0')
})
