import { expect, test } from 'vitest'
import { readCommand } from './command-line.ts'
import { draftCard } from './draft-text.ts'
import { type Candidate, evidencesOf, mine } from './mining.ts'
import { outcomeOf, readSession } from './recoveries.ts'
import type { Step } from './session.ts'

const run = (command: string, exitCode: number | null, output = ''): Step => ({
  kind: 'command',
  command,
  exitCode,
  output,
})
const edit = (file: string): Step => ({ kind: 'edit', file })
const says = (text: string): Step => ({ kind: 'said', by: 'agent', text })

const BROKEN = "Error: Cannot find module '@acme/client'\n1 failed"
const CURED: Step[] = [
  run('npm test', 1, BROKEN),
  run('npm install @acme/client', 0),
  run('npm test', 0, '12 passed'),
]

test('two spellings of a command have one key', () => {
  const same = [
    'npm test',
    'npm t',
    'npm run test',
    'cd app && npm test',
    'CI=1 npm test 2>&1',
    'npm test 2>&1 | tail -20',
    'time npm test --silent',
    'timeout 60 npm test > out.log',
  ]
  for (const line of same) expect(readCommand(line).key, line).toBe('npm test')
  for (const line of ['npm test -- one', 'npm run test:db', 'yarn test'])
    expect(readCommand(line).key, line).not.toBe('npm test')
  expect(readCommand('echo "a && b; c | d"').parts).toEqual(['echo "a && b; c | d"'])
  expect(readCommand('a && b').parts).toEqual(['a', 'b'])
  expect(readCommand('npm test || true')).toMatchObject({ isTolerated: true })
  expect(readCommand('set -o pipefail; npm test | tail -5').isMasked).toBe(false)
})

test('a pipe into a viewer, or a command behind it, hides the exit code, and the output has to say it', () => {
  const outcome = (command: string, exitCode: number | null, output: string) =>
    outcomeOf({ kind: 'command', command, exitCode, output })
  expect(outcome('npm test | tail -3', 0, '1 failed')).toBe('failed')
  expect(outcome('npm test | tail -3', 0, '12 passed')).toBe('succeeded')
  expect(outcome('npm test | tail -3', 0, 'Done.')).toBe('unknown')
  for (const hidden of [
    'npm test; git status',
    'npm test\ngit status',
    'cd app && npm test\r\ngit status',
    "bash -c 'npm test; git status'",
    'npm test & wait',
    'npm test &',
    '! npm test',
    'npm test || npm run other',
    'npm test | node report.js',
    'set -o pipefail; npm test | tail -3; git status',
  ])
    expect(outcome(hidden, 0, '1 failed'), hidden).toBe('failed')
  for (const shown of [
    '# all\ncd app\nnpm ci &&\n  npm test \\\n  --all\n',
    'set -eu\nnpm test\nls',
    'ls; npm test',
    "bash -c 'npm ci && npm test'",
    'echo y | npm test 2>&1 &>log',
    'npm test\n# it’s done',
  ])
    expect(outcome(shown, 0, '1 failed, later 3 passed'), shown).toBe('succeeded')
  expect(outcome('npm test', 0, 'No test files found')).toBe('unknown')
  expect(outcome('npm test', 130, 'Error: x')).toBe('unknown')
  expect(outcome('npm test', 0, '1 failed, later 3 passed')).toBe('succeeded')
})

test('a failure, a change and the same command succeeding make a candidate', () => {
  const { candidates, recoveries } = mine({
    steps: [
      ...CURED,
      says('The client was missing because it was never declared. I installed @acme/client.'),
    ],
    environment: { node: '24.1', '@acme/client': '2.0.0', leftpad: '1.0.0' },
  })
  expect(candidates).toHaveLength(1)
  expect(candidates[0]).toMatchObject({
    command: 'npm test',
    exit_code: 1,
    attempts: 1,
    commands: ['npm install @acme/client'],
    environment: { node: '24.1', '@acme/client': '2.0.0' },
  })
  expect(recoveries).toMatchObject([{ attempts: 1, isLesson: true }])
  const card = draftCard(candidates[0] as Candidate)
  expect(card.title).toBe("`npm test` fails: Cannot find module '@acme/client'")
  expect(card.symptom).toContain('`npm test` fails with exit code 1')
  expect(card.fix_summary).toContain('I installed @acme/client.')
  expect(card.fix_summary).toContain('Ran: `npm install @acme/client`.')
  expect(card.root_cause).toContain('never declared')
  expect(card.steps.map(({ action }) => action)).toEqual(['Run `npm install @acme/client`', 'Run `npm test`'])
  expect(card.tags).toEqual(['npm', 'npm-test'])
  expect(evidencesOf(candidates[0] as Candidate).map(({ kind }) => kind)).toEqual(['error', 'output'])
  const inGerman = 'Das Paket fehlte in package.json. Über npm ist es jetzt da.'
  const other = draftCard({ ...(candidates[0] as Candidate), report: inGerman })
  expect(other.fix_summary).toBe(`${inGerman}\n\nRan: \`npm install @acme/client\`.`)
})

test('a false cure makes no draft, but still counts as a recovery', () => {
  const flaky = readSession({ steps: [run('npm test', 1, BROKEN), run('npm test', 0, '12 passed')] })
  expect(flaky).toMatchObject({ pairs: [], recoveries: [{ attempts: 1, isLesson: false }] })
  const refused: Record<string, Step[]> = {
    'taken back by git': [
      CURED[0] as Step,
      edit('src/a.ts'),
      run('git stash', 0),
      run('npm test', 0, '12 passed'),
    ],
    'taken back by an edit': [
      CURED[0] as Step,
      { kind: 'edit', file: 'a.ts', before: '1', after: '2' },
      { kind: 'edit', file: 'a.ts', before: '2', after: '1' },
      run('npm test', 0, '12 passed'),
    ],
    'prose alone': [CURED[0] as Step, edit('README.md'), run('npm test', 0, '12 passed')],
    'a question': [run('grep x y', 1, 'grep: y: No such file'), edit('y'), run('grep x y', 0, 'x')],
    'another folder': [
      run('cd a && npm test', 1, BROKEN),
      edit('a.ts'),
      run('cd b && npm test', 0, '1 passed'),
    ],
  }
  for (const [name, steps] of Object.entries(refused)) expect(readSession({ steps }).pairs, name).toEqual([])
})

const FAILING = [
  ' FAIL  test/pay.test.ts > pay > rounds up',
  'TypeError: money.round is not supported here',
  ' Test Files  1 failed | 3 passed (4)',
  '      Tests  1 failed | 11 passed (12)',
].join('\n')
const ALL_PASS = ' Test Files  4 passed (4)\n      Tests  12 passed (12)'
const afterwards = (changes: Step[], success = 'Done.') =>
  readSession({ steps: [run('npx vitest run', 1, FAILING), ...changes, run('npx vitest run', 0, success)] })
    .pairs
const change = (file: string, before: string, after: string): Step => ({ kind: 'edit', file, before, after })

test('a test that no longer runs is not fixed', () => {
  const config = 'vitest.config.ts'
  const mended = edit('src/pay.ts')
  const removed: Record<string, Step[]> = {
    deleted: [run('rm test/pay.test.ts', 0)],
    'deleted in git': [run('git rm -q "test/pay.test.ts"', 0), mended],
    'deleted by a patch': [{ kind: 'edit', file: 'test/pay.test.ts', isDeletion: true }, mended],
    'its folder deleted': [run('rm -rf test/', 0)],
    'put aside': [run('mv test/pay.test.ts test/pay.test.ts.bak', 0)],
    skipped: [change('/app/test/pay.test.ts', "test('rounds up', f)", "test.skip('rounds up', f)"), mended],
    'taken out': [change('test/pay.test.ts', "it('a', f)\nit('rounds up', g)", "it('a', f)")],
    excluded: [change(config, 'test: {', "test: {\n exclude: ['test/pay.test.ts'],")],
    'excluded by its name': [change(config, "exclude: ['x']", "exclude: ['x', '**/pay.test.*']")],
    'all excluded': [change(config, 'test: {', "test: {\n  exclude: ['test/**'],")],
  }
  for (const [name, steps] of Object.entries(removed)) expect(afterwards(steps), name).toEqual([])
  const fewer = ' Test Files  3 passed (3)\n      Tests  11 passed (11)'
  expect(afterwards([edit(config)], fewer)).toEqual([])
  const captured: Step[] = [{ kind: 'edit', file: config, isAnytime: true }]
  const turn = (report: string) =>
    readSession({
      steps: [run('npm test', 1, BROKEN), run('npm test', 0, 'ok'), ...captured, says(report)],
    }).pairs
  expect(turn('I excluded the failing test from the run.')).toEqual([])
  expect(turn('I skipped these tests.')).toEqual([])
  expect(turn('I removed the test database and made it again.')).toHaveLength(1)
})

test('tests that go for another reason leave a fix a fix', () => {
  const mended = edit('src/pay.ts')
  const kept: Record<string, Step[]> = {
    'another test deleted': [run('rm test/old.test.ts', 0), mended],
    'what was built excluded': [change('vitest.config.ts', 'test: {', "test: {\n exclude: ['dist/**'],")],
    'the test renamed': [run('git mv test/pay.test.ts test/money.test.ts', 0), mended],
    'a test added': [change('test/pay.test.ts', "it('a', f)", "it('a', f)\nit('b', g)"), mended],
    'skipped and back': [
      change('test/pay.test.ts', 'it(', 'it.skip('),
      mended,
      change('test/pay.test.ts', 'it.skip(', 'it('),
    ],
  }
  for (const [name, steps] of Object.entries(kept)) expect(afterwards(steps, ALL_PASS), name).toHaveLength(1)
})

test('a stash that comes back is a change again', () => {
  const steps = [
    run('npm run build', 1, "Error: Cannot find module 'x'"),
    edit('src/a.ts'),
    run('git stash', 0),
    run('git stash pop', 0),
    run('npm run build', 0, 'built in 2s'),
  ]
  expect(readSession({ steps }).pairs).toMatchObject([{ changes: { files: ['src/a.ts'], commands: [] } }])
})

test('every attempt counts, and the error that has a cure is the one that is told', () => {
  const steps = [
    run('npm run build', 1, "Error: Cannot find module 'one'"),
    edit('package.json'),
    run('npm run build', 1, "Error: Cannot find module 'two'"),
    edit('vite.config.ts'),
    run('npm run build', 0, 'built in 2s'),
  ]
  const { pairs } = readSession({ steps })
  expect(pairs).toMatchObject([{ attempts: 2, changes: { files: ['vite.config.ts'] } }])
  expect(pairs[0]?.lines.join()).toContain("'two'")
})

test('a session without end is read in bounded time', () => {
  const steps: Step[] = []
  for (let i = 0; i < 4000; i++)
    steps.push(run(`npm run step${i % 100}`, i % 7 === 0 ? 0 : 1, BROKEN), edit('a.ts'))
  expect(readSession({ steps }).recoveries.length).toBeGreaterThan(100)
})
