import { expect, test } from 'vitest'
import { namesAnother } from './mismatch.ts'

const card = (title: string, symptom: string, fix: string) => ({
  title: title.toLowerCase(),
  about: `${title}\n${fix}`.toLowerCase(),
  all: `${title}\n${fix}\n${symptom}`.toLowerCase(),
})

const DISTUTILS = card(
  'ModuleNotFoundError for distutils on Python 3.12',
  "pip ends with ModuleNotFoundError: No module named 'distutils'",
  'Python 3.12 removed distutils. Install setuptools, which brings it back.',
)
const ALIAS = card(
  'TypeScript does not know the path alias of the bundler',
  "error TS2307: Cannot find module '@/lib/money' or its corresponding type declarations.",
  'Repeat the alias in compilerOptions.paths of tsconfig.json.',
)
const FRESH_BRANCH = card(
  'A module is missing after a change of the branch',
  "Error: Cannot find module 'left-pad'",
  'Run npm ci after every checkout.',
)
const RELATION = card(
  'relation "audit_log" does not exist: its migration is in another schema',
  'ERROR: relation "audit_log" does not exist',
  'Set search_path to audit.',
)
const UNREACHABLE = card(
  'Prisma P1001: the database on localhost cannot be reached',
  "Error: P1001: Can't reach database server at `localhost:5432`",
  'Write 127.0.0.1 instead of localhost.',
)
const DOCKER = card(
  'Cannot connect to the Docker daemon after a restart',
  'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  'Start it again: colima start.',
)
const NPM_CI = card(
  'docker build: npm ci cannot reach the registry',
  'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
  'Pass the proxy as a build argument.',
)
const CRYPTO = card(
  "Webpack 5: Module not found: Can't resolve 'crypto'",
  "Module not found: Error: Can't resolve 'crypto' in node_modules",
  'Add resolve.fallback with crypto-browserify.',
)
const SHARP = card(
  'Error: Could not load the "sharp" module using the linux-x64 runtime',
  '`npm test` fails: Error: Could not load the "sharp" module using the linux-x64 runtime',
  'Run npm install --include=optional sharp.',
)
const KUBECTL = card(
  'bash: kubectl: command not found in the CI image',
  'kubectl: command not found',
  'Install kubectl in the image with the setup step.',
)
const ZSH = card(
  'zsh: command not found: kubectl',
  'zsh: command not found: kubectl',
  'Install kubectl with brew and open a new terminal.',
)
const VTABLE = card(
  'C++ linker: undefined reference to vtable',
  "undefined reference to `vtable for Shape'",
  'A virtual function that is not pure has no body.',
)

test('a card about another name is not about the failure', () => {
  const others: [string, ReturnType<typeof card>][] = [
    ["ModuleNotFoundError: No module named 'fastapi'", DISTUTILS],
    ['ImportError: No module named yaml', DISTUTILS],
    ["Error: Cannot find module './helpers'", ALIAS],
    ["Error: Cannot find module 'express'", ALIAS],
    ["Error: Cannot find module 'express'", DISTUTILS],
    ['ERROR: relation "invoices" does not exist', RELATION],
    ['Error: P3009: migrate found failed migrations in the target database', UNREACHABLE],
    ["ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/run/mysqld.sock'", DOCKER],
    ['Could not connect to Redis at localhost: Connection refused', DOCKER],
    ['ERROR: process "/bin/sh -c make release" did not complete successfully: exit code: 1', NPM_CI],
    ["Module not found: Error: Can't resolve './Button' in '/app/src'", CRYPTO],
    ["ModuleNotFoundError: No module named 'flask'", CRYPTO],
    ["main.o: undefined reference to `pthread_create'", VTABLE],
    ['bash: line 1: helm: command not found', KUBECTL],
    ['/bin/sh: 1: helm: not found', KUBECTL],
    ['zsh: command not found: helm', KUBECTL],
    ['zsh: command not found: helm', ZSH],
    ["'helm' is not recognized as an internal or external command,", KUBECTL],
    ['exec: "helm": executable file not found in $PATH', KUBECTL],
    ['Error: Could not load the "canvas" module using the linux-x64 runtime', SHARP],
    ['Error: Cannot find module @esbuild/linux-x64', CRYPTO],
  ]
  for (const [line, other] of others) expect(namesAnother([line], other), line).toBe(true)
})

test('the same name, one of its parts, another kind of thing, or a name that is only an example', () => {
  const same: [string[], ReturnType<typeof card>][] = [
    [["ModuleNotFoundError: No module named 'distutils'"], DISTUTILS],
    [["ModuleNotFoundError: No module named 'distutils.core'"], DISTUTILS],
    [["cannot import name 'x'", "No module named 'distutils'"], DISTUTILS],
    [['TypeError: x is not a function'], DISTUTILS],
    [["Module not found: Error: Can't resolve 'crypto' in '/app/src'"], CRYPTO],
    [["main.o: undefined reference to `vtable for Animal'"], VTABLE],
    [['ERROR: column "total" does not exist'], RELATION],
    [['zsh: command not found: kubectl'], KUBECTL],
    [['bash: kubectl: command not found'], ZSH],
    [['sh: kubectl.exe: not found'], KUBECTL],
    [['Error: the file was not found'], KUBECTL],
    [['Error: Could not load the "sharp" module using the darwin-arm64 runtime'], SHARP],
    [["error TS2307: Cannot find module '@/views/list'"], ALIAS],
    [["Error: Cannot find module 'chalk'"], FRESH_BRANCH],
    [['Error: P1001', 'Error: P3009: migrate found failed migrations'], UNREACHABLE],
    [['error TS2307: Cannot find the client', 'SQLSTATE HY000'], UNREACHABLE],
    [['error TS2322: Type string is not assignable to @/lib/money'], ALIAS],
    [['Cannot connect to the Docker daemon at tcp://docker:2375'], DOCKER],
    [['docker: failed to connect to the server'], DOCKER],
    [['ERROR: process "/bin/sh -c npm ci --omit=dev" did not complete'], NPM_CI],
  ]
  for (const [lines, of] of same) expect(namesAnother(lines, of), lines.join()).toBe(false)
})

const POSTGRES = card(
  'PostgreSQL: connection refused after a reboot',
  'psql: error: connection to server at "localhost", port 5432 failed: Connection refused',
  'The cluster is not started by itself. Run `systemctl enable --now postgresql`.',
)

test('a connection that another service refuses is not about the card; the same one, or an unnamed one, is', () => {
  const others: [string, string][] = [
    ['redis-cli ping', 'Could not connect to Redis at 127.0.0.1:6379: Connection refused'],
    ['npm start', 'Error: connect ECONNREFUSED 127.0.0.1:6379'],
    ['kubectl get pods', 'The connection to the server localhost:8080 was refused: connection refused'],
  ]
  for (const [command, line] of others) expect(namesAnother([line], POSTGRES, command), line).toBe(true)
  const same: [string, string][] = [
    ['psql -h db', 'connection to server at "db", port 6543 failed: Connection refused'],
    ['npm start', 'Error: connect ECONNREFUSED 127.0.0.1:5432'],
    ['npm start', 'Error: connect ECONNREFUSED 127.0.0.1:8081'],
  ]
  for (const [command, line] of same) expect(namesAnother([line], POSTGRES, command), line).toBe(false)
})

test('a header, a crate that builds something and a code of npm are names', () => {
  const header = card(
    'gcc does not find Python.h',
    'fatal error: Python.h: No such file or directory',
    'Install it.',
  )
  const crate = card(
    'openssl-sys does not find OpenSSL',
    'error: failed to run custom build command for `openssl-sys v0.9`',
    'Install libssl-dev.',
  )
  const npm = card('npm install -g fails with EACCES', 'npm error code EACCES', 'Set a prefix.')
  for (const [line, other, about] of [
    [
      'a.c:1:10: fatal error: Python.h: No such file or directory',
      'a.c: fatal error: zlib.h: No such file',
      header,
    ],
    [
      'custom build command for `openssl-sys v0.9.1`',
      'custom build command for `libgit2-sys v0.16.2`',
      crate,
    ],
    ['npm error code EACCES', 'npm ERR! code EUSAGE', npm],
  ] as const) {
    expect(namesAnother([line], about), line).toBe(false)
    expect(namesAnother([other], about), other).toBe(true)
  }
})

test('the same code with another module is another failure; a path is an example, and a part of a name may be the subject', () => {
  const missing = (name: string) =>
    `error TS2307: Cannot find module '${name}' or its corresponding type declarations.`
  const vscode = card("TS2307: Cannot find module 'vscode'", missing('vscode'), 'Install @types/vscode.')
  const prisma = card(
    'Prisma client types are missing',
    missing('@prisma/client'),
    'Run `npx prisma generate`.',
  )
  const css = card(
    'tsc cannot see CSS modules',
    missing('./Button.module.css'),
    "Write `declare module '*.module.css'`.",
  )
  const extension = card('TS2307 with nodenext', missing('./util'), 'Write ./util.js.')
  for (const [name, about] of [
    ['lodash-es', vscode],
    ['./generated/client', vscode],
    ['zod', prisma],
    ['./helpers.js', css],
    ['react', extension],
  ] as const)
    expect(namesAnother([missing(name)], about), name).toBe(true)
  for (const [name, about] of [
    ['vscode', vscode],
    ['@prisma/client', prisma],
    ['./List.module.css', css],
    ['./store/users', extension],
    ['@/views/list', ALIAS],
  ] as const)
    expect(namesAnother([missing(name)], about), name).toBe(false)
})

test('a file that is refused or missing is a name, if the title of the card speaks of it', () => {
  const coverage = card(
    'EACCES on the coverage folder that Docker made',
    "Error: EACCES: permission denied, open '/app/coverage/lcov.info'",
    'Run chown on it.',
  )
  const manifest = card(
    'ENOENT: package.json is not in the folder of npm',
    "ENOENT: no such file or directory, open '/app/package.json'",
    'Move WORKDIR before COPY.',
  )
  const wrapper = card('bash: ./gradlew: Permission denied', './gradlew: Permission denied', 'chmod +x it.')
  const socket = card(
    'Permission denied on /var/run/docker.sock',
    'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
    'Join the group docker.',
  )
  const volume = card(
    'A container may not write to its volume',
    "Error: EACCES: permission denied, open '/data/db.json'",
    'Run chown on the folder.',
  )
  const serial = card(
    'Serial port: permission denied on /dev/ttyUSB0',
    "[Errno 13] Permission denied: '/dev/ttyUSB0'",
    'Join the group dialout.',
  )
  for (const [line, about] of [
    ["Error: EACCES: permission denied, open '/var/log/app.log'", coverage],
    ['Error: listen EACCES: permission denied 0.0.0.0:80', coverage],
    ["Error: ENOENT: no such file or directory, open './config/local.yaml'", manifest],
    ['cat: /etc/shadow: Permission denied', wrapper],
    ["touch: cannot touch '/data/out.txt': Permission denied", socket],
    ["PermissionError: [Errno 13] Permission denied: '/var/lib/app/state.json'", serial],
  ] as const)
    expect(namesAnother([line], about), line).toBe(true)
  for (const [line, about] of [
    ["Error: EACCES: permission denied, mkdir '/src/coverage/.tmp'", coverage],
    ["Error: ENOENT: no such file or directory, open '/srv/web/package.json'", manifest],
    ['/bin/sh: 1: ./gradlew: Permission denied', wrapper],
    ['dial unix /var/run/docker.sock: connect: permission denied', socket],
    ["Error: EACCES: permission denied, open '/uploads/a.png'", volume],
    ["PermissionError: [Errno 13] Permission denied: '/dev/ttyUSB1'", serial],
  ] as const)
    expect(namesAnother([line], about), line).toBe(false)
})
