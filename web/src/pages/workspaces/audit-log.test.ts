import { expect, test } from 'vitest'
import type { AuditEntry } from '../../api/types.ts'
import { actionWords, actorWords, detailWords, wordsAroundTitle, wordsBeforeOther } from './audit-log.tsx'

const entry = (action: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  audit_id: 'a',
  action,
  actor_id: 'lead',
  actor_name: 'Team lead',
  workspace_id: 'w',
  subject_type: 'user',
  subject_id: 'editor',
  subject_name: 'Editor',
  card_title: null,
  other_card: null,
  details: {},
  request_id: 'r',
  created_at: '2026-01-05T12:00:00.000Z',
  ...more,
})

test('a member is named, and whoever accepts an invitation joins', () => {
  expect(actionWords(entry('member.added'))).toBe('added Editor')
  expect(actionWords(entry('member.added', { actor_id: 'editor' }))).toBe('joined the workspace')
  expect(actionWords(entry('member.removed'))).toBe('removed Editor')
  expect(actionWords(entry('member.removed', { subject_name: '' }))).toBe('removed a member')
})

test('what the system does goes on after its name', () => {
  expect(actionWords(entry('card.hidden_by_reports'))).toBe('hid a card after reports')
})

test('a decision whose moderator is not named is not the system’s', () => {
  const unnamed = { actor_id: null, actor_name: null }
  for (const action of ['moderation.decided', 'moderation.appeal_decided', 'publisher.ban_lifted'])
    expect(actorWords(entry(action, unnamed))).toBe('A moderator')
  expect(actorWords(entry('moderation.decided'))).toBe('Team lead')
  expect(actorWords(entry('card.hidden_by_reports', unnamed))).toBe('The system')
})

test('an action from a newer server still reads as words', () => {
  expect(actionWords(entry('export.finished_early'))).toBe('export finished early')
})

test('the title of a card stands where the words speak of a card', () => {
  expect(wordsAroundTitle('brought a card back')).toEqual({ before: 'brought ', after: ' back' })
  expect(wordsAroundTitle('card wrapped')).toEqual({ before: 'card wrapped: ', after: '' })
})

test('the other card of a link or a merge stands at the end, and no id is left over', () => {
  for (const action of ['card.linked', 'card.unlinked', 'card.merged', 'card.unmerged'])
    expect(wordsBeforeOther(actionWords(entry(action))), action).toMatch(/ $/)
  expect(wordsBeforeOther(actionWords(entry('library.pulled')))).toBe(null)
  const linked = entry('card.linked', { details: { kind: 'related', from_card_id: 'c' } })
  expect(detailWords(linked)).toBe('kind: related')
})

test('an invitation says its address once', () => {
  const invited = entry('invite.created', { details: { email: 'new@example.com', role: 'viewer' } })
  expect(actionWords(invited)).toBe('invited new@example.com')
  expect(detailWords(invited)).toBe('role: viewer')
})

test('nested details are shown as JSON, empty ones not at all', () => {
  const changed = entry('workspace.updated', {
    details: { name: null, policy_json: { allow_publish: false } },
  })
  expect(detailWords(changed)).toBe('policy json: {"allow_publish":false}')
})
