import { expect, test } from 'vitest'
import { acrossCuts } from '../../../test/support/across-cuts.ts'
import { mine } from '../../shared/mining.ts'
import type { Step } from '../../shared/session.ts'
import { edited, ran, said } from './agent-transcripts.ts'

const TOKEN = ['ghp', 'q7Rt2Wz9'.repeat(5).slice(0, 36)].join('_')
const line = (at: number) => `MIIEvQ${String(at).padStart(2, '0')}${'kX9'.repeat(18)}`
const pem = (lines: number) => {
  const body = Array.from({ length: lines }, (_, at) => line(at))
  return [`-----BEGIN PRIVATE ${'KEY'}-----`, ...body, `-----END PRIVATE ${'KEY'}-----`].join('\n')
}
const PARTS = [TOKEN.slice(4, 12), TOKEN.slice(-8), line(0).slice(0, 6), line(0).slice(-6)]

const BROKEN = "Error: Cannot find module 'left'"

const session = ({
  command = 'make all',
  failure = '',
  success = '12 passed',
  report = 'I added it.',
}): Step[] => [
  ran(command, 1, `${BROKEN}\n${failure}`),
  edited('/app/package.json'),
  ran(command, 0, success),
  ...said('agent', report),
]

const found = (steps: Step[]) => JSON.stringify(mine({ steps, environment: {} }).candidates)

test('no part of a secret that lies across a cut is in a candidate', () => {
  const line = 'a line of an output that says little\n'
  for (const [secret, filler] of [
    [TOKEN, 'lorem ipsum '],
    [TOKEN, line],
    [pem(4), line],
  ] as const) {
    const texts = [
      ...acrossCuts(secret, filler, 4000, [-2000]),
      ...acrossCuts(secret, filler, 50_000, [10_000, -29_997]),
    ]
    const sessions = [
      ...texts.flatMap((text) => [session({ success: text }), session({ failure: `Error: ${text}` })]),
      ...[...acrossCuts(secret, filler, 24_000, [8000, -8000, 20_000])].map((report) => session({ report })),
      ...[...acrossCuts(secret, filler, 3000, [1000, 2000])].map((text) =>
        session({ command: `make all "${text}"` }),
      ),
    ]
    for (const steps of sessions) {
      const candidates = found(steps)
      expect(candidates).toContain('Cannot find module')
      for (const part of PARTS) expect(candidates.includes(part), `${part} in ${candidates}`).toBe(false)
    }
  }
})

test('a key that a command prints at its end is not in the evidence', () => {
  expect(found(session({ success: `made the key\n${pem(20)}\n` }))).toContain('made the key\\n<PRIVATE_KEY>')
})

test('colours hide no secret, and leave nothing of their codes', () => {
  const candidates = found(session({ success: `\u001b[32m${TOKEN}\u001b[0m is \u001b[1mgood\u001b[22m` }))
  expect(candidates).toContain('"<GITHUB_TOKEN> is good"')
})
