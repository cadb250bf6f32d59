import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type CommandBlock, findOutput } from './fences.ts'

const MAX_MS = 60_000

export const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))

/**
 * A terminal in which a page's commands are typed one block after another: in an empty folder, with an empty home, and with
 * variables that stay from block to block. `npm`, `npx`, `kvault` and `curl` are the scripts of programs.ts.
 */
export class Session {
  readonly folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-docs-'))
  readonly #page: string
  readonly #address: string
  readonly #env: Record<string, string>
  #blocks = 0

  constructor(page: string, address: string, env: Record<string, string>, programs: Record<string, string>) {
    this.#page = page
    this.#address = address
    const bin = join(this.folder, 'bin')
    mkdirSync(bin)
    mkdirSync(join(this.folder, 'work'))
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), script)
      chmodSync(join(bin, name), 0o755)
    }
    this.#env = { ...env, HOME: this.folder, PATH: `${bin}${delimiter}${process.env.PATH}` }
  }

  /** What a page says for a usual installation, as it is here. */
  #asHere(script: string): string {
    return script
      .replaceAll(/http:\/\/(?:localhost|127\.0\.0\.1):8080|\{base_url\}/g, this.#address)
      .replaceAll(/\b(?:localhost|127\.0\.0\.1):8080\b/g, new URL(this.#address).host)
      .replaceAll('<API_KEY>', this.#env.KVAULT_API_KEY ?? '<API_KEY>')
      .replaceAll('/srv/', `${this.folder}/srv/`)
  }

  /** Runs the block and throws an error that names page, line, command and output when something is not as documented. */
  async run(block: CommandBlock): Promise<void> {
    const state = join(this.folder, 'variables')
    const script = join(this.folder, `block-${++this.#blocks}.sh`)
    // One line before the block, which then stands on the same lines as in the page: bash names them.
    const prelude = [
      `set -a; . '${state}' 2>/dev/null; set -eE -o pipefail`,
      `trap 'export -p > "${state}"' EXIT`,
      `trap 'echo "FAILED AT LINE $LINENO: $BASH_COMMAND" >&2' ERR`,
      `cd '${join(this.folder, 'work')}'`,
    ].join('; ')
    const padding = '\n'.repeat(Math.max(1, block.line - 1))
    writeFileSync(script, `${prelude}${padding}${this.#asHere(block.script)}\n`)
    const { code, output } = await this.#bash(script)
    if (code !== 0) throw new Error(this.#report(block, output, code))
    this.#lookFor(block, output)
  }

  #bash(script: string): Promise<{ code: number | null; output: string }> {
    const child: ChildProcess = spawn('bash', [script], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    const timer = setTimeout(() => {
      output += `\nnot finished after ${MAX_MS / 1000} s`
      child.kill('SIGKILL')
    }, MAX_MS)
    return new Promise((resolve) => {
      child.once('exit', (code) => {
        clearTimeout(timer)
        // Output that is on its way when the program ends still counts; a service left running holds the pipe open.
        const end = () => resolve({ code, output })
        child.once('close', end)
        setTimeout(end, 50).unref()
      })
    })
  }

  #report(block: CommandBlock, output: string, code: number | null): string {
    const [, line, command] = /FAILED AT LINE (\d+): (.*)/.exec(output) ?? []
    const where = `${this.#page}:${line ?? block.line}`
    return `${where}: the command failed with exit code ${code}\n$ ${command ?? block.script}\n${output.trimEnd()}`
  }

  #lookFor(block: CommandBlock, output: string): void {
    let from = 0
    for (const { line, text } of block.expected) {
      const end = findOutput(output, text, from)
      if (end === -1)
        throw new Error(
          `${this.#page}:${line}: the documented output is not there: ${text}\n$ ${block.script}\n${output.trimEnd()}`,
        )
      from = end
    }
  }

  /** Ends the services that the page started, and removes everything. */
  close(): void {
    const file = join(this.folder, 'services')
    const groups = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
    for (const group of groups)
      try {
        process.kill(-group, 'SIGKILL')
      } catch {
        // It has ended already.
      }
    rmSync(this.folder, { recursive: true, force: true })
  }
}
