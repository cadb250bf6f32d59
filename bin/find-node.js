// Plain JavaScript that any Node since 14 reads: it finds a Node that can run the service, or says what to install.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The first that runs TypeScript as it is and has SQLite. */
const NEEDED = [22, 18]

const [major, minor] = process.versions.node.split('.').map(Number)

export const isNewEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])

/** The Node that came as a package; undefined where there is none for this system. */
function broughtNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  try {
    const packageFile = createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`)
    const file = join(dirname(packageFile), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(file) ? file : undefined
  } catch {
    return undefined
  }
}

export function sayTooOld() {
  const how = process.platform === 'darwin' ? 'brew install node' : 'https://nodejs.org'
  process.stderr.write(
    `Knowledge Vault needs Node ${NEEDED.join('.')} or newer; this is ${process.versions.node}. Install it: ${how}\n`,
  )
  process.exit(2)
}

/**
 * Runs the launcher again with the Node that came as a package, as if it were this process. Not the program itself: the
 * launcher turns the compile cache on.
 */
export function runByBroughtNode(launcher) {
  const node = broughtNode()
  if (!node) sayTooOld()
  const child = spawn(node, [launcher, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A stop of the command is one of the service.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
