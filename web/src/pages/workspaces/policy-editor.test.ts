import { expect, test } from 'vitest'
import { domainsOf, readPolicy, writePolicy } from './policy-editor.tsx'

test('an empty policy allows everything and writes nothing', () => {
  expect(writePolicy(readPolicy(null))).toEqual({})
  expect(readPolicy({})).toEqual({
    allowPublish: true,
    inviteDomains: '',
    defaultRole: 'viewer',
    reviewAfterDays: '',
    trustHalfLifeDays: '',
    keepMissedSearches: true,
    others: {},
  })
})

test('a policy survives reading and writing, including unknown keys', () => {
  const policy = {
    allow_publish: false,
    invite_domains: ['example.com', 'example.org'],
    default_role: 'editor',
    review_after_days: 90,
    trust_half_life_days: 30,
    keep_missed_searches: false,
    retention: { days: 90 },
  }
  expect(writePolicy(readPolicy(policy))).toEqual(policy)
})

test('domains are read as people type them', () => {
  expect(domainsOf(' @Example.com; example.org,\nexample.com ')).toEqual(['example.com', 'example.org'])
})

test('a default role that does not exist falls back to viewer', () => {
  expect(readPolicy({ default_role: 'owner' }).defaultRole).toBe('viewer')
})
