import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../support/process.ts'

const read = (file: string) => JSON.parse(readFileSync(join(repository, file), 'utf8'))

type Locked = {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  optional?: boolean
  hasInstallScript?: boolean
}
const lockedIn = (file: string): [string, Locked][] =>
  Object.entries(read(file).packages as Record<string, Locked>).filter(
    ([path]) => path !== '' && path.includes('node_modules/'),
  )
/** Nothing is known of it but its name: whoever made the file could not install it. */
const isForAnotherSystem = ({ optional, resolved }: Locked): boolean => optional === true && !resolved

const locked = lockedIn('package-lock.json')
const nameOf = (path: string) => path.split('node_modules/').at(-1) ?? path

test.each(
  globSync('{,bench/*/,examples/*/,packages/*/,plugins/*/,test/external/*/}package-lock.json', {
    cwd: repository,
  }),
)('every package of %s is locked to its bytes', (file) => {
  const packages = lockedIn(file)
  expect(packages).not.toEqual([])
  expect(
    packages
      .filter(([, one]) => !one.integrity && !one.link && !isForAnotherSystem(one))
      .map(([path]) => path),
  ).toEqual([])
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
