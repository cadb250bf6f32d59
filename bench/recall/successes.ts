import { commandText } from '../../src/text/command-text.ts'
import { randomFrom } from '../search/cards.ts'

const FILES = ['errors', 'retry', 'session', 'failover', 'parser', 'router', 'invalid-input', 'timeouts']

type Made = (file: string, n: number, text: string) => { command: string; output: string }

/** Commands that went well. Many of them speak of errors: names of tests, of files, of functions, and whole sources. */
const SUCCESSES: readonly Made[] = [
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
  const make = SUCCESSES[n % SUCCESSES.length] as Made
  const text = texts[random(texts.length)] ?? ''
  const made = make(FILES[random(FILES.length)] as string, 3 + random(300), text)
  return commandText({ ...made, ...(n % 2 === 0 ? { exitCode: 0 } : {}) })
}
