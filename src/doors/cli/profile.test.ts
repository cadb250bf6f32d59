import { execFileSync } from 'node:child_process'
import {
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { describeWhere, NOT_LINUX } from '../../../test/support/skips.ts'
import { mountSmallDisk, NO_SMALL_DISK } from '../../../test/support/small-disk.ts'
import { put, read, waitingFiles } from './hooks/spool.ts'
import { findProfile, urlToJoin, writePrivate } from './profile.ts'

const disk = mountSmallDisk(1)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('who reads settings while they are written has the old ones or the new ones, never a part', () => {
  const [file, link] = [join(folder, 'there.json'), join(folder, 'linked.json')]
  writeFileSync(file, 'the old text', { mode: 0o644 })
  symlinkSync(file, link)
  for (const name of [file, link]) {
    const before = readFileSync(file, 'utf8')
    const reader = openSync(name, 'r')
    writePrivate(name, `new text of ${name}`)
    expect(readFileSync(reader, 'utf8')).toBe(before)
    expect(readFileSync(file, 'utf8')).toBe(`new text of ${name}`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(folder).sort()).toEqual(['linked.json', 'there.json'])
})

test('scheme and host of an address are in small letters, also of one that was saved before', () => {
  vi.stubEnv('KVAULT_HOME', folder)
  for (const name of ['KVAULT_URL', 'KVAULT_API_KEY']) vi.stubEnv(name, '')
  try {
    expect(urlToJoin({ url: 'HTTPS://Vault.Example.com/' })).toBe('https://vault.example.com')
    expect(urlToJoin({ url: 'Http://Example.com:8080/Team/' })).toBe('http://example.com:8080/Team')
    // The guides of clients show this address.
    expect(urlToJoin({ url: 'https://vault.example.com/mcp/' })).toBe('https://vault.example.com')
    expect(() => urlToJoin({ url: 'https://not a host' })).toThrow('is not the address of a vault')
    writePrivate(
      join(folder, 'profile.json'),
      JSON.stringify({ url: 'https://Vault.Example.com', apiKey: 'kv_a' }),
    )
    const signedIn = { url: 'https://vault.example.com', apiKey: 'kv_a' }
    expect(findProfile()).toEqual(signedIn)
    expect(findProfile({ url: 'HTTPS://VAULT.example.com' })).toEqual(signedIn)
    put({ url: 'https://Vault.Example.com', agent: 'codex', input: {} })
    expect(waitingFiles().map((name) => read(name)?.url)).toEqual([signedIn.url])
  } finally {
    vi.unstubAllEnvs()
  }
})

describeWhere('a folder in which nothing can be written', NOT_LINUX, () => {
  test('has its file named, not the draft', () => {
    expect(() => writePrivate('/proc/self/there.json', '{}')).toThrow(
      expect.objectContaining({ path: '/proc/self/there.json' }),
    )
  })
})

describeWhere('a settings file that a container has from outside', disk ? undefined : NO_SMALL_DISK, () => {
  test('is written where it stands', () => {
    const [outside, inside] = [join(disk ?? '', 'outside.json'), join(folder, 'inside.json')]
    for (const file of [outside, inside]) writeFileSync(file, 'the old text, which is longer')
    execFileSync('mount', ['--bind', outside, inside])
    try {
      writePrivate(inside, 'the new text')
      expect(readFileSync(outside, 'utf8')).toBe('the new text')
      expect(readdirSync(folder)).toEqual(['inside.json'])
    } finally {
      execFileSync('umount', [inside])
    }
  })
})
