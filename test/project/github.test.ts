import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { repository } from '../support/process.ts'

const read = (file: string) => readFileSync(join(repository, file), 'utf8')

type Step = { run?: string; uses?: string; with?: Record<string, string> }
type Job = {
  steps: Step[]
  strategy?: { matrix: { include: Record<string, string>[] } }
  'timeout-minutes'?: number
}
type Workflow = { permissions: Record<string, string>; jobs: Record<string, Job> }

const workflows = globSync('.github/workflows/*.yml', { cwd: repository })

describe.each(workflows)('%s', (file) => {
  const workflow: Workflow = parse(read(file))
  const jobs = Object.values(workflow.jobs)
  const steps = jobs.flatMap((job) => job.steps)

  test('asks for no more rights than it names, and ends', () => {
    expect(workflow.permissions).toBeDefined()
    for (const job of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0)
  })

  test('calls only programs and files that are here', () => {
    for (const { run = '' } of steps)
      for (const [, path = ''] of run.matchAll(/(?:^|\s)((?:\.ci|scripts)\/\S+)/g))
        expect(existsSync(join(repository, path)), path).toBe(true)
    for (const { with: given } of steps)
      if (given?.['node-version-file'])
        expect(existsSync(join(repository, given['node-version-file']))).toBe(true)
  })
})

test('every change is tested whole, on x64 and on arm64', () => {
  const { everything } = (parse(read('.github/workflows/ci.yml')) as Workflow).jobs
  expect(everything?.strategy?.matrix.include.map(({ processor }) => processor)).toEqual(['x64', 'arm64'])
  expect(everything?.steps.map(({ run }) => run)).toContain('.ci/run')
  accessSync(join(repository, '.ci/run'), constants.X_OK)
})

test('dependabot looks at every folder that has packages', () => {
  const { updates } = parse(read('.github/dependabot.yml'))
  const npm = updates.find((one: { 'package-ecosystem': string }) => one['package-ecosystem'] === 'npm')
  const locked = globSync(['package-lock.json', '{bench,examples,test}/**/package-lock.json'], {
    cwd: repository,
    exclude: (path) => path.includes('node_modules'),
  })
  const folders = locked.map((path) => `/${path.replace(/\/?package-lock\.json$/, '')}`)
  expect([...npm.directories].sort()).toEqual(folders.sort())
})

test('the forms for issues ask for what is needed, each thing once', () => {
  const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: repository }).filter(
    (file) => !file.endsWith('config.yml'),
  )
  expect(forms.length).toBeGreaterThan(1)
  for (const file of forms) {
    const form = parse(read(file))
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) })
    const ids = form.body.map((field: { id: string }) => field.id)
    expect(new Set(ids).size).toBe(ids.length)
    const asked = (field: { validations?: { required?: boolean } }) => field.validations?.required
    expect(form.body.some(asked)).toBe(true)
  }
})
