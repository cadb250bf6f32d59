import { expect, test } from 'vitest'
import type { InboxNotice } from '../../api/types.ts'
import { grouped } from './inbox-page.tsx'

const notice = (notice_id: string, more: Partial<InboxNotice> = {}): InboxNotice =>
  ({
    notice_id,
    kind: 'card.feedback',
    said: 'worked',
    actor_id: 'ben',
    created_at: '2026-11-19T12:00:00.000Z',
    read_at: null,
    ...more,
  }) as InboxNotice

test('what worked for one person on one day is one entry, at the place of the newest', () => {
  const groups = grouped([
    notice('1'),
    notice('2', { kind: 'card.commented', said: null }),
    notice('3'),
    notice('4', { actor_id: 'eve' }),
    notice('5', { said: 'failed' }),
    notice('6', { read_at: '2026-11-19T13:00:00.000Z' }),
    notice('7', { created_at: '2026-11-16T12:00:00.000Z' }),
  ])
  expect(groups.map((group) => group.map(({ notice_id }) => notice_id).join())).toEqual([
    '1,3',
    '2',
    '4',
    '5',
    '6',
    '7',
  ])
})
