import { expect, test } from 'vitest'
import type { HookFile } from './client-settings.ts'
import { hooksOf } from './hooks.ts'

type Group = { matcher?: string; hooks: { command: string }[] }
type Hooks = Record<string, Group[]>

const THEIRS = { type: 'command', command: '/home/dev/notify.sh' }
const GROUPED = { 'claude-code': 'Stop', codex: 'Stop', gemini: 'AfterAgent' }

const fileOf = (client: string): HookFile => hooksOf(client)?.files[0] as HookFile
const groupsIn = (text: string | null, event: string): Group[] =>
  (JSON.parse(text ?? '{}').hooks as Hooks)?.[event] ?? []

/** Our hooks, with one of the person in the same group, before or after ours. */
function withTheirs(client: string, event: string, add: 'push' | 'unshift'): string {
  const settings = JSON.parse(fileOf(client).withOurs('{}'))
  settings.hooks[event][0].hooks[add](THEIRS)
  return JSON.stringify(settings, null, 2)
}

for (const [client, event] of Object.entries(GROUPED)) {
  test(`${client}: a command of the person in our group stays, without ours`, () => {
    for (const add of ['push', 'unshift'] as const)
      expect(JSON.parse(fileOf(client).withoutOurs(withTheirs(client, event, add)) ?? '{}')).toEqual({
        hooks: { [event]: [{ hooks: [THEIRS] }] },
      })
  })

  test(`${client}: such a group is left as it is as long as ours in it is current`, () => {
    const text = withTheirs(client, event, 'push')
    expect(fileOf(client).withOurs(text)).toBe(text)
  })

  test(`${client}: ours of an earlier version is replaced beside it`, () => {
    const text = withTheirs(client, event, 'push').replaceAll('"timeout": 15', '"timeout": 14')
    const groups = groupsIn(fileOf(client).withOurs(text), event)
    expect(groups[0]).toEqual({ hooks: [THEIRS] })
    expect(groups.slice(1)).toEqual(groupsIn(fileOf(client).withOurs('{}'), event))
  })
}

test('what two commands of the person say together does not make them ours', () => {
  const hooks = [{ command: 'kvault doctor' }, { command: 'log the hook codex Stop' }]
  const text = JSON.stringify({ hooks: { Stop: [{ hooks }] } })
  expect(fileOf('codex').hasOurs(text)).toBe(false)
  expect(fileOf('codex').withoutOurs(text)).toBe(text)
})

test('an empty group of the person stays', () => {
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [] }] } })
  expect(fileOf('codex').withoutOurs(text)).toBe(text)
})
