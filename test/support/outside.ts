// Runs what we did not write: pinned and installed apart, under test/external.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from './process.ts'

type Folder = 'suites' | 'contract' | 'claude' | 'clients'

const folder = (name: Folder) => join(repository, 'test', 'external', name, 'node_modules')

export type Outcome = { code: number; out: string; err: string }

/** Runs a program with a home of its own, so that nothing of the machine's settings takes part. */
function run(program: string, args: string[]): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  return runIn(home, program, args).finally(() => rmSync(home, { recursive: true, force: true }))
}

export function runIn(
  home: string,
  program: string,
  args: string[],
  more: Record<string, string> = {},
): Promise<Outcome> {
  const common = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', CI: '1', DISABLE_AUTOUPDATER: '1' }
  const env = { ...common, ...more }
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { cwd: home, env, timeout: 540_000, maxBuffer: 256 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, out: `${stdout}\n${stderr}`, err: stderr }),
    )
  })
}

/** A file of an installed package. */
export function installed(name: Folder, ...path: string[]): string {
  const file = join(folder(name), ...path)
  if (!existsSync(file))
    throw new Error(`Not installed: npm ci --ignore-scripts --prefix test/external/${name}`)
  return file
}

export const node = (path: string, ...args: string[]): Promise<Outcome> =>
  run(process.execPath, [path, ...args])

export type Scenario = { name: string; passed: number; failed: number }

/** The summary lines of the conformance suite. */
export const scenariosOf = (out: string): Scenario[] =>
  [...out.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)].map(([, name = '', passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }))
