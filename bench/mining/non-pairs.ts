import { asks, edit, run, type Scene, says } from './script.ts'

const PASS = ' Test Files  1 passed (1)\n      Tests  12 passed (12)'
const failing = (error: string) =>
  `${error}\n\n Test Files  1 failed (1)\n      Tests  1 failed | 11 passed (12)`
const thrown = (file: string) =>
  failing(` FAIL  src/${file}.test.ts\nTypeError: Cannot read properties of undefined (reading 'id')`)

/** What looks like a cure and is none. */
export const NON_PAIRS: readonly Scene[] = [
  {
    name: 'flaky: it passes the second time',
    steps: ({ file }) => [
      run('npm test', 1, thrown(file)),
      says('I run it again.'),
      run('npm test', 0, PASS),
    ],
  },
  {
    name: 'flaky: only prose was edited meanwhile',
    steps: ({ file }) => [
      run('npx vitest run', 1, thrown(file)),
      edit('README.md'),
      edit('docs/guide.md'),
      run('npx vitest run', 0, PASS),
    ],
  },
  {
    name: 'another command succeeds',
    steps: ({ file }) => [
      run('npm test', 1, thrown(file)),
      edit(`src/${file}.ts`),
      run('npm run lint', 0, ''),
      says('Lint is clean.'),
    ],
  },
  {
    name: 'only a part is run again',
    steps: ({ file }) => [
      run('npx vitest run', 1, thrown(file)),
      edit(`src/${file}.ts`),
      run(`npx vitest run src/${file}.test.ts`, 0, PASS),
    ],
  },
  {
    name: 'a search finds nothing, then something',
    steps: ({ name, file }) => [
      run(`grep -rn "${name}Error" src/`, 1, ''),
      edit(`src/${file}.ts`),
      run(`grep -rn "${name}Error" src/`, 0, `src/${file}.ts:3:class ${name}Error extends Error`),
    ],
  },
  {
    name: 'a comparison differs, then not',
    steps: ({ file }) => [
      run(`diff expected.txt ${file}.txt`, 1, `1c1\n< Error: expected\n---\n> Error: found`),
      edit(`${file}.txt`),
      run(`diff expected.txt ${file}.txt`, 0, ''),
    ],
  },
  {
    name: 'a question for a file',
    steps: ({ file }) => [
      run(`ls src/${file}.ts`, 2, `ls: cannot access 'src/${file}.ts': No such file or directory`),
      edit(`src/${file}.ts`),
      run(`ls src/${file}.ts`, 0, `src/${file}.ts`),
    ],
  },
  {
    name: 'the failing test comes first, and is announced',
    steps: ({ file }) => [
      asks('Do it test first, please.'),
      edit(`test/${file}.test.ts`),
      says('I write the failing test first and confirm it fails.'),
      run('npm test', 1, failing(`AssertionError: expected undefined to be 3\n ❯ test/${file}.test.ts:4:18`)),
      edit(`src/${file}.ts`),
      run('npm test', 0, PASS),
    ],
  },
  {
    name: 'the failing test comes first, unannounced',
    steps: ({ file }) => [
      edit(`test/${file}.test.ts`),
      run(
        'npx vitest run',
        1,
        failing(` FAIL  test/${file}.test.ts\nAssertionError: expected [Function] to be 3`),
      ),
      edit(`src/${file}.ts`),
      run('npx vitest run', 0, PASS),
      says('The new function is there.'),
    ],
  },
  {
    name: 'the edit is taken back',
    steps: ({ file }) => [
      run('npm test', 1, thrown(file)),
      edit(`src/${file}.ts`, 'a.id', 'a?.id'),
      edit(`src/${file}.ts`, 'a?.id', 'a.id'),
      says('That was not it; I put it back.'),
      run('npm test', 0, PASS),
    ],
  },
  {
    name: 'all edits are thrown away',
    steps: ({ file, pick }) => [
      run('go test ./...', 1, `--- FAIL: TestTotals (0.00s)\n    ${file}_test.go:12: got 3, want 4\nFAIL`),
      edit(`${file}.go`),
      run(pick(['git checkout -- .', 'git stash', 'git reset --hard', 'git restore .']), 0, ''),
      run('go test ./...', 0, 'ok  \tapp\t0.2s'),
    ],
  },
  {
    name: 'the network was away',
    steps: ({ name, file, pick }) => [
      run(
        'npm install',
        1,
        `npm error code ${pick(['ETIMEDOUT', 'ECONNRESET', 'EAI_AGAIN'])}\nnpm error network request to https://registry.example.com/${name} failed`,
      ),
      edit(`src/${file}.ts`),
      run('npm install', 0, 'added 240 packages'),
    ],
  },
  {
    name: 'somebody stopped it',
    steps: ({ file, pick }) => [
      run('npm run build', pick([130, 143, 124]), 'transforming...\n^C\nerror: interrupted'),
      edit(`src/${file}.ts`),
      run('npm run build', 0, 'built in 4.1s'),
    ],
  },
  {
    name: 'the formatter formats',
    steps: ({ file, pick }) => {
      const [check, write, said] = pick([
        [
          'npx prettier --check .',
          'npx prettier --write .',
          `[warn] src/${file}.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.`,
        ],
        ['black --check .', 'black .', `would reformat ${file}.py\nOh no! 1 file would be reformatted.`],
        ['cargo fmt --check', 'cargo fmt', `Diff in src/${file}.rs:12:\n-let a=1;\n+let a = 1;`],
      ] as const)
      return [run(check, 1, said), run(write, 0, ''), edit(`src/${file}.ts`), run(check, 0, '')]
    },
  },
  {
    name: 'a slip in what was just written',
    steps: ({ file }) => [
      edit(`src/${file}.ts`),
      run('npx tsc --noEmit', 2, `src/${file}.ts(14,3): error TS1005: ';' expected.`),
      edit(`src/${file}.ts`),
      run('npx tsc --noEmit', 0, ''),
    ],
  },
  {
    name: 'a name that is not there yet',
    steps: ({ file, name }) => [
      edit(`src/${file}.ts`),
      run(
        'npm run typecheck',
        2,
        `src/${file}.ts(22,9): error TS2339: Property '${name}' does not exist on type 'Row'.`,
      ),
      edit(`src/${file}.ts`),
      run('npm run typecheck', 0, ''),
    ],
  },
  {
    name: 'the test is gone',
    steps: ({ file }) => [
      run('npx vitest run', 1, thrown(file)),
      run(`rm src/${file}.test.ts`, 0, ''),
      run('npx vitest run', 0, 'No test files found, exiting with code 0'),
    ],
  },
  {
    name: 'a failure that nobody minds',
    steps: ({ file }) => [
      run('npm run lint || true', 0, `src/${file}.ts\n  1:1  error  Unexpected any`),
      edit(`src/${file}.ts`),
      run('npm run lint || true', 0, ''),
    ],
  },
  {
    name: 'it fails again in the same way',
    steps: ({ file, other }) => [
      run('npm test', 1, thrown(file)),
      edit(`src/${other}.tsx`),
      run('npm test', 0, PASS),
      run('npm test', 1, thrown(file)),
      says('It comes and goes.'),
    ],
  },
  {
    name: 'time ran out, and something else was edited',
    steps: ({ file, other }) => [
      run(
        'npx playwright test',
        1,
        ` 1) ${file}.spec.ts\n    Error: Test timeout of 30000ms exceeded.\n  1 failed`,
      ),
      edit(`src/${other}.css`),
      run('npx playwright test', 0, '14 passed (21.3s)'),
    ],
  },
  {
    name: 'it never succeeds',
    steps: ({ file }) => [
      run(
        'cargo test',
        101,
        `error[E0277]: the trait bound \`Row: Clone\` is not satisfied\n --> src/${file}.rs:9:5`,
      ),
      edit(`src/${file}.rs`),
      run(
        'cargo test',
        101,
        `error[E0277]: the trait bound \`Row: Copy\` is not satisfied\n --> src/${file}.rs:11:5`,
      ),
      edit(`src/${file}.rs`),
      says('I leave it here.'),
    ],
  },
  {
    name: 'the end of the output says nothing',
    steps: ({ file }) => [
      run('npm run check 2>&1 | tail -5', 0, thrown(file)),
      edit(`src/${file}.ts`),
      run('npm run check 2>&1 | tail -5', 0, 'Done in 4.20s.'),
    ],
  },
  {
    name: 'it succeeded before',
    steps: ({ file }) => [
      run('npm test', 0, PASS),
      edit(`src/${file}.ts`),
      run('npm test', 1, thrown(file)),
      says('My change broke it; I stop here and ask.'),
    ],
  },
  {
    name: 'a server answers after a while',
    steps: ({ port, file }) => [
      run(
        `curl -sf http://localhost:${port}/health`,
        7,
        `curl: (7) Failed to connect to localhost port ${port}: Connection refused`,
      ),
      edit(`src/${file}.ts`),
      run(`curl -sf http://localhost:${port}/health`, 0, '{"status":"ok"}'),
    ],
  },
  {
    name: 'too many requests',
    steps: ({ file, name }) => [
      run(
        `docker pull acme/${name}`,
        1,
        'toomanyrequests: You have reached your pull rate limit. 429 Too Many Requests',
      ),
      edit(`src/${file}.ts`),
      run(`docker pull acme/${name}`, 0, 'Status: Downloaded newer image'),
    ],
  },
  {
    name: 'the same command in another folder',
    steps: ({ file }) => [
      run('cd packages/api && npm test', 1, thrown(file)),
      edit(`packages/web/src/${file}.tsx`),
      run('cd packages/web && npm test', 0, PASS),
    ],
  },
  {
    name: 'a report of findings',
    steps: ({ name }) => [
      run('npm audit', 1, `${name}  <2.0.0\nSeverity: high\n1 high severity vulnerability`),
      run('npm audit fix', 0, 'fixed 1 of 1'),
      edit('package-lock.json'),
      run('npm audit', 0, 'found 0 vulnerabilities'),
    ],
  },
  {
    name: 'a lint of what was just written',
    steps: ({ file, name }) => [
      edit(`src/${file}.ts`),
      run(
        'npx eslint src',
        1,
        `/app/src/${file}.ts\n  3:9  error  '${name}' is assigned a value but never used  no-unused-vars\n✖ 1 problem (1 error, 0 warnings)`,
      ),
      edit(`src/${file}.ts`),
      run('npx eslint src', 0, ''),
    ],
  },
  {
    name: 'broken on purpose, to see the test fail',
    steps: ({ file }) => [
      edit(`src/${file}.ts`, 'a < b', 'a > b'),
      run('npm test', 1, failing(` FAIL  src/${file}.test.ts\nAssertionError: expected false to be true`)),
      edit(`src/${file}.ts`, 'a > b', 'a < b'),
      run('npm test', 0, PASS),
      says('The test notices it.'),
    ],
  },
  {
    name: 'another branch',
    steps: ({ file, name }) => [
      run('npm run build', 1, `[vite]: Rollup failed to resolve import "./${file}" from "src/main.ts".`),
      run(`git checkout ${name}-branch`, 0, `Switched to branch '${name}-branch'`),
      run('npm run build', 0, 'built in 2.10s'),
    ],
  },
]
