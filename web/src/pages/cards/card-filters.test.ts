import { expect, test } from 'vitest'
import { listOf, scopeInput } from './card-filters.tsx'

test('cards of teams are the shared ones, for the list and for the figures beside it', () => {
  expect(scopeInput({})).toEqual({ scope: 'personal' })
  expect(scopeInput({ scope: 'workspace', status: 'unpublished', workspace: 'one' })).toEqual({
    scope: 'workspace',
    without_personal: true,
    status: 'published',
    workspace_id: 'one',
  })
})

test('the cards of one’s own workspace are among one’s own, those of a team among what teams share', () => {
  const own = listOf({ workspace_id: 'home', type: 'personal' })
  expect(scopeInput(own)).toEqual({ scope: 'personal' })
  const team = listOf({ workspace_id: 'one', type: 'team' })
  expect(scopeInput(team)).toMatchObject({ scope: 'workspace', workspace_id: 'one' })
})
