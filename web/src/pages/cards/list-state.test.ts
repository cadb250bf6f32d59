import { expect, test } from 'vitest'
import { whoseCards } from './list-state.ts'

test('cards of teams are the shared ones, for the list and for the figures beside it', () => {
  expect(whoseCards({})).toEqual({ scope: 'personal' })
  expect(whoseCards({ scope: 'workspace', status: 'unpublished', workspace: 'one' })).toEqual({
    scope: 'workspace',
    without_personal: true,
    status: 'published',
    workspace_id: 'one',
  })
})
