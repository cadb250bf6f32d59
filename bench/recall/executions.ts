import { commandText } from '../../src/text/command-output.ts'
import { randomFrom } from '../lib/texts.ts'

type Random = ReturnType<typeof randomFrom>
const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T

/** The commands that fail, by topic. */
const COMMANDS: Record<string, readonly string[]> = {
  npm: ['npm install', 'npm ci', 'npm run build', 'npx vite build', 'npm publish'],
  node: ['node server.js', 'npm start', 'npm test', 'node --test'],
  git: [
    'git push origin main',
    'git pull --rebase',
    'git clone https://git.example/app.git',
    'git submodule update',
  ],
  docker: [
    'docker compose up -d',
    'docker build -t app .',
    'docker run --rm app',
    'docker pull registry.example/app',
  ],
  kubernetes: [
    'kubectl apply -f deploy.yaml',
    'kubectl describe pod api',
    'helm upgrade app ./chart',
    'kubectl logs api',
  ],
  postgres: ['psql -f migrate.sql', 'npm run migrate', 'pg_restore -d shop dump', 'alembic upgrade head'],
  python: [
    'python manage.py test',
    'pytest -q',
    'pip install -r requirements.txt',
    'python app.py',
    'poetry install',
  ],
  rust: ['cargo build', 'cargo test', 'cargo run --release'],
  go: ['go build ./...', 'go test ./...', 'go run .'],
  java: ['mvn -q package', './gradlew build', 'java -jar app.jar'],
  css: ['npm run build', 'npx sass src:dist', 'npx tailwindcss -i in.css'],
  react: ['npm test', 'npm run dev', 'npx next build'],
  linux: ['sudo systemctl restart app', 'make install', './deploy.sh', 'ssh deploy@web-2 uptime'],
  nginx: ['sudo nginx -t', 'curl -i https://shop.example/', 'tail -n 50 /var/log/nginx/error.log'],
  tls: ['curl -v https://api.example', 'openssl s_client -connect api.example:443', 'npm run fetch'],
  dns: ['dig api.example', 'curl https://api.example', 'getent hosts db.example'],
  ci: ['act -j build', 'gh run view --log', 'gitlab-runner exec docker test'],
  cloud: ['aws s3 cp out s3://media', 'terraform apply', 'gcloud run deploy', 'az webapp up'],
  mobile: [
    'npx react-native run-android',
    'xcodebuild -scheme App',
    './gradlew assembleDebug',
    'flutter build ios',
  ],
  desktop: ['npm run package', 'brew install app', 'winget install app', 'msbuild App.sln'],
}

const STARTS = [
  'Reading configuration from ./config.yaml',
  'Resolving dependencies ...',
  '> app@2.4.1 start',
  'Step 4/9 : copying sources',
  '[1/4] Checking the workspace',
  '[########------------] 40%',
  'Using cache in /tmp/build-x81z/cache',
  'Loaded 14 entries in 0.42s',
]
const ENDS = [
  '    at main (/srv/app/src/main.js:20:7)',
  '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
  'make: *** [Makefile:12: build] Error 1',
  'npm error A complete log of this run can be found in: /home/dev/.npm/_logs/2026-03-14T10_22_31_123Z-debug-0.log',
  'Elapsed: 12.4s',
  'Cleaning up.',
  '',
]

/** An error as an agent sees it: after a command, among other output of the program. */
export function failing(topic: string, error: string, seed: number): string {
  const random = randomFrom(seed * 7919 + 13)
  const some = (from: readonly string[], most: number) =>
    Array.from({ length: random(most + 1) }, () => pick(random, from))
  const lines = [...some(STARTS, 3), ...error.split('\n'), ...some(ENDS, 3)]
  const stamp =
    random(3) === 0
      ? `2026-03-${10 + random(18)} 10:${10 + random(49)}:${10 + random(49)}.${random(900)} `
      : ''
  const output = lines.map((line) => (line === '' ? line : stamp + line)).join('\n')
  return commandText({ command: pick(random, COMMANDS[topic] ?? ['make']), exitCode: 1 + random(2), output })
}

const FILES = [
  'invoice',
  'session',
  'parser',
  'cart',
  'upload',
  'ledger',
  'router',
  'profile',
  'export',
  'quota',
]
const NAMES = [
  'total',
  'items',
  'owner',
  'status',
  'rows',
  'locale',
  'cursor',
  'amount',
  'parent',
  'expiresAt',
]

type MakeFailure = (
  file: string,
  name: string,
  other: string,
  n: number,
) => { command: string; output: string }

/** Failures of somebody's own code, which no card knows: most of what an agent sees. */
const OWN_FAILURES: readonly MakeFailure[] = [
  (file, name, other, n) => ({
    command: 'npx vitest run',
    output: ` ❯ src/${file}.test.ts (${n} tests | 1 failed)\n   × keeps the ${name} of every ${other}\nAssertionError: expected ${n} to be ${n + 2} // Object.is equality\n - Expected\n + Received\n ❯ src/${file}.test.ts:${n}:14`,
  }),
  (file, name, other, n) => ({
    command: 'npx tsc --noEmit',
    output: `src/${file}.ts(${n},7): error TS2339: Property '${name}' does not exist on type '${other}Row'.\nFound 1 error.`,
  }),
  (file, name, other, n) => ({
    command: 'npx tsc -p .',
    output: `src/${file}.ts:${n}:3 - error TS2322: Type 'string' is not assignable to type 'number'.\n  ${name}: ${other}.toFixed(2),`,
  }),
  (file, name, other) => ({
    command: 'pytest -q',
    output: `FAILED tests/test_${file}.py::test_${name} - assert ${name}(${other}) == 3\nE   assert 4 == 3\n1 failed, 17 passed in 2.31s`,
  }),
  (file, name, other, n) => ({
    command: `python ${file}.py`,
    output: `Traceback (most recent call last):\n  File "${file}.py", line ${n}, in <module>\n    ${name}(${other})\nKeyError: '${name}'`,
  }),
  (file, name, _other, n) => ({
    command: `python -m ${file}`,
    output: `Traceback (most recent call last):\n  File "/opt/app/${file}.py", line ${n}, in ${name}\nAttributeError: 'NoneType' object has no attribute '${name}'`,
  }),
  (file, name, other, n) => ({
    command: 'npx biome check src',
    output: `src/${file}.ts:${n}:9 lint/style/useConst\n  × This let declares variable ${name} that is only assigned once.\n  i ${other} is never reassigned.\nFound 1 error.`,
  }),
  (file, name) => ({
    command: `grep -rn "${name}Handler" src/${file}`,
    output: '',
  }),
  (file, name, _other, n) => ({
    command: 'cargo test',
    output: `---- ${file}::tests::${name} stdout ----\nthread '${file}::tests::${name}' panicked at src/${file}.rs:${n}:9:\nassertion \`left == right\` failed\n  left: ${n}\n right: ${n + 1}\ntest result: FAILED. 11 passed; 1 failed`,
  }),
  (file, name, other, n) => ({
    command: 'go test ./...',
    output: `--- FAIL: Test${other} (0.00s)\n    ${file}_test.go:${n}: ${name} = ${n}, want ${n + 4}\nFAIL\nFAIL\texample.com/app/${file}\t0.012s`,
  }),
  (file, name) => ({
    command: `node scripts/${file}.js`,
    output: `/srv/app/scripts/${file}.js:12\nTypeError: Cannot read properties of undefined (reading '${name}')\n    at ${file} (/srv/app/scripts/${file}.js:12:9)`,
  }),
  (file, name) => ({
    command: `cat src/${file}-${name}.ts`,
    output: `cat: src/${file}-${name}.ts: No such file or directory`,
  }),
]

export function ownFailure(n: number): string {
  const random = randomFrom(n * 104_729 + 7)
  const make = OWN_FAILURES[n % OWN_FAILURES.length] as MakeFailure
  const report = make(pick(random, FILES), pick(random, NAMES), pick(random, NAMES), 10 + random(300))
  return commandText({ ...report, exitCode: 1 })
}

const SUCCESS_FILES = [
  'errors',
  'retry',
  'session',
  'failover',
  'parser',
  'router',
  'invalid-input',
  'timeouts',
]

type MakeSuccess = (file: string, n: number, text: string) => { command: string; output: string }

/** Commands that went well. Many of them speak of errors: names of tests, of files, of functions, and whole sources. */
const SUCCESSES: readonly MakeSuccess[] = [
  (file, n) => ({
    command: 'npx vitest run',
    output: ` ✓ src/${file}.test.ts (${n} tests) 120ms\n ✓ refuses an invalid token\n ✓ throws TypeError when the pool is empty\n Test Files  4 passed (4)\n      Tests  ${n} passed (${n})`,
  }),
  (_file, n) => ({ command: 'pytest -q', output: `${'.'.repeat(40)} [100%]\n${n} passed in 3.21s` }),
  (file, n) => ({
    command: 'go test ./...',
    output: `ok  \texample.com/app/${file}\t0.0${n % 90}s\nok  \texample.com/app/retry\t(cached)`,
  }),
  (file, n) => ({
    command: 'cargo test',
    output: `running ${n} tests\ntest ${file}::returns_error_on_empty ... ok\ntest result: ok. ${n} passed; 0 failed; 0 ignored`,
  }),
  (_, n) => ({
    command: 'npm install',
    output: `npm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported\nadded ${n} packages, and audited ${n + 1} packages in 4s\nfound 0 vulnerabilities`,
  }),
  (_file) => ({ command: 'npx tsc --noEmit', output: '' }),
  (_file, n) => ({ command: 'npx eslint src', output: `✖ 0 problems (0 errors, 0 warnings) in ${n} files` }),
  (file) => ({
    command: 'git status',
    output: `On branch fix/${file}-error\nnothing to commit, working tree clean`,
  }),
  (file, _n) => ({
    command: 'git log --oneline -3',
    output: `a1b2c3d Fix crash when ${file} is missing\nd4e5f6a Failed logins are counted\n0f9e8d7 Handle ECONNREFUSED in the ${file}`,
  }),
  (file, n) => ({
    command: `ls -la src/${file}`,
    output: `total ${n}\n-rw-r--r-- 1 dev dev 120 error-page.tsx\n-rw-r--r-- 1 dev dev 310 fatal.ts\n-rw-r--r-- 1 dev dev 99 ${file}.ts`,
  }),
  (file) => ({
    command: `grep -rn "Error" src/${file}.ts`,
    output: `src/${file}.ts:12:  throw new RangeError('the cursor is invalid')\nsrc/${file}.ts:40:export class NotFoundError extends Error {`,
  }),
  (_file, _n, text) => ({ command: 'cat utils.py', output: text }),
  (_file, _n, text) => ({ command: "sed -n '1,40p' helpers.py", output: text }),
  (file, n) => ({
    command: 'docker build .',
    output: `#5 [2/4] COPY package.json .\n#5 DONE 0.1s\n#8 exporting layers ${n} MB\n#8 naming to docker.io/library/${file} done`,
  }),
  (file, n) => ({
    command: 'npm run build',
    output: `vite v7.1.0 building for production...\n✓ ${n} modules transformed.\ndist/assets/${file}-4f2a.js  ${n}.12 kB\n✓ built in 2.31s`,
  }),
  (file, n) => ({
    command: 'kubectl get pods',
    output: `NAME READY STATUS RESTARTS AGE\n${file}-7d9c5b6f4 1/1 Running 0 ${n}m`,
  }),
  (_file, n) => ({
    command: 'curl -s localhost:8080/health',
    output: `{"status":"ok","errors":0,"uptime":${n}}`,
  }),
  (_file, n) => ({
    command: 'psql -c "select count(*) from failures"',
    output: ` count \n-------\n ${n}\n(1 row)`,
  }),
  (_file, n) => ({
    command: 'npm start',
    output: `2026-03-14T10:22:31.123Z INFO listening on ${n}\n2026-03-14T10:22:32.001Z INFO retry after failed handshake: ok`,
  }),
  (file) => ({
    command: `node scripts/${file}.js`,
    output: 'Done. 0 errors, 0 failed, everything up to date.',
  }),
  (_file, n) => ({
    command: 'terraform plan',
    output: `No changes. Your infrastructure matches the configuration.\nRead ${n} resources.`,
  }),
  (file) => ({
    command: `git diff src/${file}.ts`,
    output: `-    throw new Error('not found')\n+    throw notFound('Card')\n     if (!row) return undefined`,
  }),
  (file, n) => ({
    command: 'make',
    output: `cc -c ${file}.c -o ${file}.o\nwarning: unused variable 'error' [-Wunused-variable]\nld -o app (${n} symbols)`,
  }),
  (_file, n) => ({
    command: 'pip list',
    output: `exceptiongroup 1.2.2\npanic-free 0.${n % 9}.1\npytest-timeout 2.3.1`,
  }),
  (file) => ({
    command: `find . -name '*${file}*'`,
    output: `./test/faults/timeout.test.ts\n./src/errors.ts\n./docs/errors/ENOENT.md`,
  }),
]

/** Every second one has no exit code, because some agents do not report it. */
export function success(n: number, texts: readonly string[]): string {
  const random = randomFrom(n * 6_700_417 + 11)
  const make = SUCCESSES[n % SUCCESSES.length] as MakeSuccess
  const text = texts[random(texts.length)] ?? ''
  const made = make(SUCCESS_FILES[random(SUCCESS_FILES.length)] as string, 3 + random(300), text)
  return commandText({ ...made, ...(n % 2 === 0 ? { exitCode: 0 } : {}) })
}
