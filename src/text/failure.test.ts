import { describe, expect, test } from 'vitest'
import { commandText, readCommandText } from './command-output.ts'
import { failureSignature, readFailure, tellingLines } from './failure.ts'

const ESCAPE = '\u001b'

test('a command with its exit code and output is one text, and is read back', () => {
  const report = { command: 'npm test', exitCode: 1, output: 'Error: boom\nat line' }
  expect(commandText(report)).toBe('$ npm test\nexit code 1\nError: boom\nat line')
  expect(readCommandText(commandText(report))).toEqual(report)
  expect(commandText({ command: 'a\nb', output: '' })).toBe('$ a b\n')
  for (const [text, exitCode] of [
    ['Exit code: 2\nboom', 2],
    ['boom\nexited with code 137', 137],
    ['boom\nexited with code 137\n', 137],
    ['boom\r\nExit code: 4\r\n\r\n  \n', 4],
    ['boom\nProcess exited with code 1', 1],
    ['boom\n[exit status 3]', 3],
    ['boom', undefined],
    ['the exit code 3 is in a sentence\nboom', undefined],
  ] as const)
    expect(readCommandText(text).exitCode, text).toBe(exitCode)
})

describe('the telling lines of a failure', () => {
  test('of a log are the lines that say what is wrong, without parts that change each time', () => {
    const log = [
      '2026-03-14T10:22:30.001Z INFO starting up',
      '[=====>      ] 45% 12.4 MB/s',
      `${ESCAPE}[31m2026-03-14T10:22:31.123Z ERROR${ESCAPE}[39m TypeError: fetch failed at 0x7ffd3c2a10f0`,
      '    at load (/srv/app/src/load.ts:10:5)',
      '    at run (/srv/app/node_modules/x/run.js:20:7)',
      '2026-03-14T10:22:32.500Z INFO heartbeat ok',
      '2026-03-14T10:22:33.500Z ERROR TypeError: fetch failed at 0x7ffd3c2affff',
      '[cause]: ConnectTimeoutError: fastify@5.12.7 UND_ERR_CONNECT_TIMEOUT in src/load.ts:12:3',
    ].join('\n')
    expect(tellingLines(log)).toEqual([
      'ERROR TypeError: fetch failed at',
      '[cause]: ConnectTimeoutError: fastify@5.12.7 UND_ERR_CONNECT_TIMEOUT in src/load.ts',
    ])
  })

  test.each([
    ['npm error code ERESOLVE'],
    ['error[E0502]: cannot borrow `x` as mutable'],
    ['src/app.ts - error TS2345: Argument of type string'],
    ['psycopg2.OperationalError: FATAL: password authentication failed for user "app"'],
    ['ORA-00942: table or view does not exist'],
    ['bash: kubectl: command not found'],
    ['panic: runtime error: index out of range'],
    ['Permission denied (publickey).'],
    ["make: *** No rule to make target 'bar.o', needed by 'app'. Stop."],
    ["terminate called after throwing an instance of 'std::bad_alloc'"],
    ['WARNING: DATA RACE'],
    ["Permissions 0644 for 'id_deploy' are too open."],
    ["Error response from daemon: Conflict. The container name is already taken by '/db'"],
  ])('has %s', (line) => {
    const text = `$ make\nexit code 2\ncompiling 12 files\n${line}\nmake: stopped`
    expect(tellingLines(text)).toContain(line)
  })

  test.each([
    ['error MSB3027: Could not copy "obj/Debug/net8.0/App.dll" to "bin/Debug/net8.0/App.dll".'],
    ['error: cannot find macro `info` in this scope'],
    ["Error: Cannot find module 'debug'"],
    ['CommandError: You must set settings.ALLOWED_HOSTS if DEBUG is False.'],
    ['adb: failed to install app/build/apk/debug/app-debug.apk: Failure [INSTALL_FAILED_OLDER_SDK]'],
    ["ImportError: cannot import name 'trace' from 'app'"],
    ['[ERROR] DEBUG must not be set in production'],
    ['Trace/breakpoint trap (core dumped)'],
    ['error: invalid value for --log-level=debug'],
    ["main.c: error: 'gets' is deprecated [-Werror=deprecated-declarations]"],
    ['error: use of deprecated function `old`'],
  ])('has %s, whatever the lines around it say', (line) => {
    const around = [
      '$ make',
      'exit code 2',
      'cc1: all warnings being treated as errors',
      line,
      'error: could not compile `app` (bin "app") due to 2 previous errors; 1 warning emitted',
      '[ERROR] ',
      '[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.',
      '[ERROR] Re-run Maven using the -X switch to enable full debug logging.',
      'npm ERR!     /root/.npm/_logs/2026-03-14T10_22_30_001Z-debug.log',
    ]
    expect(tellingLines(around.join('\n'))).toEqual([line])
  })

  test.each([
    ['cc1: all warnings being treated as errors'],
    ['error: warnings found and -Werror specified'],
    ['error: aborting due to 1 previous error; 1 warning emitted'],
  ])('has %s where nothing else says more', (line) => {
    expect(tellingLines(`$ make\nexit code 1\n${line}`)).toContain(line)
  })

  test('are also those that a line announces, though they say no word of a failure', () => {
    const of = (...output: string[]) => tellingLines(['$ build', 'exit code 1', ...output].join('\n'))
    expect(
      of(
        'CMake Error at CMakeLists.txt:1 (cmake_minimum_required):',
        '  CMake 3.24 or higher.  You run 3.16.3',
        '',
      ),
    ).toEqual([
      'CMake Error at CMakeLists.txt (cmake_minimum_required):',
      'CMake 3.24 or higher. You run 3.16.3',
    ])
    expect(
      of('npm error Could not resolve dependency:', '', 'npm error peer react@"^18" from dnd@13.1.1'),
    ).toContain('npm error peer react@"^18" from dnd@13.1.1')
    const gradle = [
      "Execution failed for task ':app:check'.",
      '> Two versions of class a.B in a.jar and b.jar',
    ]
    expect(of('* What went wrong:', ...gradle, '', '* Try:', '> Run with --stacktrace')).toEqual(gradle)
    expect(of('npm error code ERESOLVE', 'npm error', 'npm error Found: react@19.0.0')).toEqual([
      'npm error code ERESOLVE',
      'npm error Found: react@19.0.0',
    ])
  })

  test('are the last ones where a failing command names no error', () => {
    const text = '$ make\nexit code 2\nfirst step\nsecond step\n\nkinit: Clock skew too great\n'
    expect(tellingLines(text)).toEqual(['first step', 'second step', 'kinit: Clock skew too great'])
  })

  test('of docker build are those of the program inside it, without the steps', () => {
    const text = [
      '$ docker build .\nexit code 1',
      '#8 [4/6] RUN npm ci',
      '#8 1.204 npm error code ERESOLVE',
      '#8 1.205 npm error A complete log of this run can be found in: /root/.npm/_logs/x.log',
      '#9 ERROR: failed to register layer: no space left on device',
    ].join('\n')
    expect(tellingLines(text)).toEqual([
      'npm error code ERESOLVE',
      'ERROR: failed to register layer: no space left on device',
    ])
  })

  test('of a command behind a pipe, whose exit code nobody knows', () => {
    for (const line of [
      "error: failed to push some refs to 'github.com:org/app.git'",
      'Makefile: *** missing separator. Stop.',
    ])
      expect(tellingLines(`$ one | tail\n${line}\nhint: see the note`), line).toEqual([line])
  })

  test('are few', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `Error: thing ${'abcdefghij'[i % 10]} failed`).join(
      '\n',
    )
    expect(tellingLines(text)).toHaveLength(6)
  })
})

describe('a command that did not fail has no telling lines', () => {
  test.each([
    'exit code 0\nError: expected, and caught',
    '✓ refuses an invalid token (3 ms)\n✓ throws TypeError when the pool is empty\n12 passed',
    'PASS src/errors.test.ts\nTests: 0 failed, 12 passed',
    'found 0 vulnerabilities\nno errors',
    'added 312 packages in 4s\nnpm warn deprecated glob@7.2.3',
    'INFO retry after failed handshake: ok',
    'DEBUG:root:Error: cannot connect, next attempt',
    '  [debug] Error: cannot connect, next attempt',
    '[main] INFO com.acme.Pool - Error: cannot connect, next attempt',
    'web-1  | INFO:     Error: cannot connect, next attempt',
    'info: Error: cannot connect, next attempt',
    '##[debug]Error: cannot connect, next attempt',
    '2026-03-14 10:22:30,123 - acme.pool - INFO - Error: cannot connect, next attempt',
    '10:22:30.123 [exec-1] DEBUG o.a.Pool - Error: cannot connect, next attempt',
    '2026/03/14 10:22:30 [info] 12#12: Error: cannot connect, next attempt',
    'time="2026-03-14T10:22:30Z" level=info msg="Error: cannot connect, next attempt"',
    '{"level":"debug","msg":"Error: cannot connect, next attempt"}',
    'On branch main\nnothing to commit, working tree clean',
    'a1b2c3d fix a data race in the cache',
    'drwxr-xr-x 4 dev dev 128 error-pages\n-rw-r--r-- 1 dev dev 30 fatal.ts',
    '',
  ])('%s', (text) => {
    expect(readFailure(text)).toMatchObject({ isFailure: false, lines: [], signature: '' })
  })
})

describe('a signature', () => {
  const run = (time: string, port: number, folder: string, hash: string) =>
    `$ npm start\nexit code 1\n${time} ERROR Error: listen EADDRINUSE: address already in use 0.0.0.0:${port}\n` +
    `took 12 attempts, see ${folder}/debug.log for ${hash}`

  test('is the same for the same error in another execution', () => {
    const one = failureSignature(run('2026-03-14T10:22:31.123Z', 3000, '/tmp/a1', '0x7ffd3c2a10f0'))
    expect(one).toMatch(/^[0-9a-f]{16}$/)
    expect(failureSignature(run('2027-01-02T01:02:03.456Z', 3001, '/tmp/zz/b', '0x11ff3c2a10f0'))).toBe(one)
    expect(failureSignature(`${ESCAPE}[31m${run('11:12:13', 9, '/tmp/q', '0xffff')}`.slice(5))).toBe(one)
  })

  test('differs for another error, and for another code of it', () => {
    const of = (line: string) => failureSignature(`exit code 1\n${line}`)
    const all = [
      'Error: connect ECONNREFUSED 127.0.0.1:5432',
      'Error: connect ETIMEDOUT 127.0.0.1:5432',
      'error TS2345: no overload matches',
      'error TS2322: no overload matches',
      'upstream answered HTTP 502 and failed',
      'upstream answered HTTP 504 and failed',
    ].map(of)
    expect(new Set(all).size).toBe(all.length)
  })
})

test('hostile text costs time in proportion to its length', () => {
  for (const piece of [
    'error ',
    'E',
    'Error',
    '$ ',
    'exit code ',
    '1:',
    '_A',
    'not ',
    '0 errors ',
    '\n',
    ' \r',
    'error: ',
    'error: warn ',
    '[a] ',
    'INFO ',
  ])
    expect(tellingLines(piece.repeat(Math.ceil(200_000 / piece.length))).length).toBeLessThanOrEqual(6)
})
