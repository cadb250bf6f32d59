import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../support/process.ts'

const read = (file: string) => JSON.parse(readFileSync(join(repository, file), 'utf8'))

type Locked = { version?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean }
const locked: [string, Locked][] = Object.entries(
  read('package-lock.json').packages as Record<string, Locked>,
).filter(([path]) => path !== '')
const nameOf = (path: string) => path.split('node_modules/').at(-1) ?? path

test('every package is locked to its bytes', () => {
  expect(locked.filter(([, { integrity, link }]) => !integrity && !link).map(([path]) => path)).toEqual([])
})

test('only packages that we named may run code when they are installed', () => {
  const allowed = Object.keys(read('package.json').allowScripts)
  const withScripts = new Set(
    locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path)),
  )
  // fsevents is for macOS alone and brings no script that has to run.
  const surprising = [...withScripts].filter((name) => !allowed.includes(name) && name !== 'fsevents')
  expect(surprising).toEqual([])
})
