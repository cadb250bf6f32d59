import { expect, test } from 'vitest'
import { InvalidInput } from '../../core/errors.ts'
import { parseInput } from '../../core/invoke.ts'
import { domainAllowed, PolicyJson, policyOf } from './permissions.ts'

const policy = (value: unknown) =>
  policyOf({ policy_json: value === null ? null : JSON.stringify(PolicyJson.parse(value)) })

test('a workspace without a policy lets publish, takes every address and adds viewers', () => {
  expect(policy(null)).toEqual({
    allowPublish: true,
    inviteDomains: null,
    defaultRole: 'viewer',
    trustHalfLifeDays: 180,
    keepMissedSearches: true,
    dangerRules: {},
    downloadHosts: [],
  })
  expect(policy({})).toEqual(policy(null))
})

test('the eight working keys work, and other keys are kept', () => {
  const stated = {
    allow_publish: false,
    invite_domains: ['Example.COM'],
    default_role: 'editor',
    trust_half_life_days: 90,
    review_after_days: 30,
    keep_missed_searches: false,
    danger_rules: { personal_data: 'block' },
    download_hosts: ['acme.example'],
    colour: 7,
  }
  expect(policy(stated)).toEqual({
    allowPublish: false,
    inviteDomains: ['example.com'],
    defaultRole: 'editor',
    trustHalfLifeDays: 90,
    keepMissedSearches: false,
    dangerRules: { personal_data: 'block' },
    downloadHosts: ['acme.example'],
  })
  expect(PolicyJson.parse(stated)).toMatchObject({ colour: 7 })
})

test('an empty list of domains means no restriction', () => {
  expect(policy({ invite_domains: [] }).inviteDomains).toBeNull()
})

test('a domain may have letters of any language and hyphens, and need not have a dot', () => {
  const domains = ['bücher.example', 'my-corp.example', 'localhost', '例え.テスト']
  expect(policy({ invite_domains: domains }).inviteDomains).toEqual(domains)
})

test('a domain is the whole part after the last @, without its subdomains', () => {
  const restricted = policy({ invite_domains: ['example.com'] })
  expect(domainAllowed(restricted, 'a@EXAMPLE.com')).toBe(true)
  expect(domainAllowed(restricted, 'a@sub.example.com')).toBe(false)
  expect(domainAllowed(restricted, 'a@badexample.com')).toBe(false)
})

test.each([
  { allow_publish: 'no' },
  { invite_domains: 'example.com' },
  { invite_domains: ['a@b'] },
  { invite_domains: ['example.com', 'domain!!'] },
  { invite_domains: ['example..com'] },
  { download_hosts: ['https://acme.example/'] },
  { default_role: 'owner' },
  { filler: 'x'.repeat(70_000) },
])('a policy that cannot work is refused: %o', (value) => {
  expect(() => parseInput(PolicyJson, value)).toThrow(InvalidInput)
})
