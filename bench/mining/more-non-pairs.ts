import { asks, edit, run, type Scene, says } from './script.ts'

const OK = '24 passed in 1.80s'

/** A second set, written after the first rules. */
export const MORE_NON_PAIRS: readonly Scene[] = [
  {
    name: 'snapshots are taken anew',
    steps: ({ file }) => [
      run(
        'npx vitest run',
        1,
        ` FAIL  src/${file}.test.tsx > renders\nError: Snapshot \`renders 1\` mismatched\n 1 failed`,
      ),
      run('npx vitest run -u', 0, 'Snapshots  1 updated\n Tests  12 passed (12)'),
      run('npx vitest run', 0, ' Tests  12 passed (12)'),
    ],
  },
  {
    name: 'the linter mends it alone',
    steps: ({ file }) => [
      run('npm run lint', 1, `src/${file}.ts\n  4:1  error  Missing semicolon  semi\n✖ 1 problem`),
      run('npm run lint -- --fix', 0, ''),
      run('npm run lint', 0, ''),
    ],
  },
  {
    name: 'there was nothing to commit',
    steps: ({ file }) => [
      run('git commit -m "Add totals"', 1, 'On branch main\nnothing to commit, working tree clean'),
      edit(`src/${file}.ts`),
      run('git add -A', 0, ''),
      run('git commit -m "Add totals"', 0, '[main 1a2b3c4] Add totals'),
    ],
  },
  {
    name: 'a rollout takes its time',
    steps: ({ name, other }) => [
      run(
        `kubectl rollout status deploy/${name} --timeout=30s`,
        1,
        'error: timed out waiting for the condition',
      ),
      edit(`src/${other}.tsx`),
      run(`kubectl rollout status deploy/${name} --timeout=30s`, 0, 'successfully rolled out'),
    ],
  },
  {
    name: 'somebody said no',
    steps: ({ file }) => [
      run('npm run release', 1, 'Publish version 2.1.0? (y/N) n\nError: Aborted by user'),
      edit(`src/${file}.ts`),
      run('npm run release', 0, '+ app@2.1.0'),
    ],
  },
  {
    name: 'a server warms up',
    steps: () => [
      run('pytest tests/api', 1, 'E   httpx.ConnectError: All connection attempts failed\n1 failed in 0.4s'),
      run('sleep 5', 0, ''),
      run('pytest tests/api', 0, OK),
    ],
  },
  {
    name: 'types of two files that were just written',
    steps: ({ file, other }) => [
      edit(`src/${file}.ts`),
      edit(`src/${other}.ts`),
      run(
        'pnpm tsc -b',
        2,
        `src/${file}.ts(4,9): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/${other}.ts(9,1): error TS2554: Expected 2 arguments, but got 1.`,
      ),
      edit(`src/${file}.ts`),
      edit(`src/${other}.ts`),
      run('pnpm tsc -b', 0, ''),
    ],
  },
  {
    name: 'a name in a new script is wrong',
    steps: ({ name }) => [
      edit(`scripts/${name}.py`),
      run(
        `python scripts/${name}.py`,
        1,
        `Traceback (most recent call last):\n  File "scripts/${name}.py", line 9, in <module>\nNameError: name 'rowz' is not defined`,
      ),
      edit(`scripts/${name}.py`),
      run(`python scripts/${name}.py`, 0, '40 rows'),
    ],
  },
  {
    name: 'a new script calls what is not there',
    steps: ({ name }) => [
      edit(`scripts/${name}.mjs`),
      run(
        `node scripts/${name}.mjs`,
        1,
        `TypeError: rows.groupBy is not a function\n    at file:///app/scripts/${name}.mjs:8:6`,
      ),
      edit(`scripts/${name}.mjs`),
      run(`node scripts/${name}.mjs`, 0, 'done'),
    ],
  },
  {
    name: 'checks of others come in',
    steps: ({ file }) => [
      run('gh pr checks 12', 8, 'build\tpending\nlint\tfail\t12s'),
      edit(`src/${file}.ts`),
      run('gh pr checks 12', 0, 'build\tpass\nlint\tpass'),
    ],
  },
  {
    name: 'conflicts are settled by another command',
    steps: ({ file }) => [
      run(
        'git merge feature',
        1,
        `CONFLICT (content): Merge conflict in src/${file}.ts\nAutomatic merge failed; fix conflicts and then commit the result.`,
      ),
      edit(`src/${file}.ts`),
      run('git merge --continue', 0, 'Merge made'),
    ],
  },
  {
    name: 'it is ended by the clock on purpose',
    steps: ({ file }) => [
      run('timeout 10 npm start', 124, 'listening on 3000\nerror: terminated'),
      edit(`src/${file}.ts`),
      run('timeout 10 npm start', 0, 'listening on 3000'),
    ],
  },
  {
    name: 'a new test for a new function, in python',
    steps: ({ name }) => [
      asks(`Add a function that rounds ${name}.`),
      edit(`tests/test_${name}.py`),
      run(
        'pytest -q',
        1,
        `FAILED tests/test_${name}.py::test_rounds - AssertionError: assert None == 3\n1 failed, 23 passed`,
      ),
      edit(`src/${name}.py`),
      run('pytest -q', 0, OK),
    ],
  },
  {
    name: 'a layer could not be fetched',
    steps: ({ name, file }) => [
      run(
        `docker build -t ${name} .`,
        1,
        '#7 ERROR: failed to fetch https://deb.example.org/dists: read tcp: connection reset by peer\nERROR: failed to solve',
      ),
      edit(`src/${file}.ts`),
      run(`docker build -t ${name} .`, 0, '#12 done'),
    ],
  },
  {
    name: 'a linter of a language looks at new code',
    steps: ({ file }) => [
      edit(`src/${file}.rs`),
      run(
        'cargo clippy -- -D warnings',
        101,
        `error: this \`if\` has identical blocks\n  --> src/${file}.rs:8:5\nerror: could not compile \`app\``,
      ),
      edit(`src/${file}.rs`),
      run('cargo clippy -- -D warnings', 0, '    Finished dev'),
    ],
  },
  {
    name: 'the agent says that it is flaky',
    steps: ({ file, other }) => [
      run(
        'npm run e2e',
        1,
        ` 1) checkout.spec.ts › pays\n    Error: expect(locator).toBeVisible() failed: element was detached\n  1 failed`,
      ),
      says('This one is known to be flaky. I go on with the task.'),
      edit(`src/${other}.ts`),
      edit(`src/${file}.ts`),
      run('npm run e2e', 0, '31 passed (40.2s)'),
    ],
  },
]
