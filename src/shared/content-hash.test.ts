import { expect, test } from 'vitest'
import { canonicalJson } from '../core/crypto.ts'
import { contentHash } from './library-snapshot.ts'

const CARD = {
  card_type: 'debug_fix',
  title: 'Pool “exhausted”',
  symptom: 'Requests hang\nfor 30 s',
  fix_summary: 'Release the client',
  environment: { node: '24.1', Ä: 'x' },
  root_cause: null,
  steps: [{ order: 1, action: 'Look', result: '' }],
  tags: ['pool', 'pg'],
  card_payload: { b: 1.5e21, a: [true, null, { z: '\u0007', y: 0 }] },
  body: null,
  scope_notes: null,
}

test('the canonical form is that of RFC 8785', () => {
  expect(canonicalJson({ b: [1, { d: 'x', c: null }], a: '\u20ac$\u000f\nA\'"\\', é: 1e30, '€': 4.5 })).toBe(
    '{"a":"€$\\u000f\\nA\'\\"\\\\","b":[1,{"c":null,"d":"x"}],"é":1e+30,"€":4.5}',
  )
  expect(canonicalJson(JSON.parse('{"__proto__":1,"10":2,"9":3}'))).toBe('{"10":2,"9":3,"__proto__":1}')
})

test('the hash is the documented one, whatever the order of the keys and whatever else there is', () => {
  const documented =
    '{"body":null,"card_payload":{"a":[true,null,{"y":0,"z":"\\u0007"}],"b":1.5e+21},"card_type":"debug_fix","environment":{"node":"24.1","Ä":"x"},"fix_summary":"Release the client","root_cause":null,"scope_notes":null,"steps":[{"action":"Look","order":1,"result":""}],"symptom":"Requests hang\\nfor 30 s","tags":["pool","pg"],"title":"Pool “exhausted”"}'
  expect(canonicalJson(CARD)).toBe(documented)
  const expected = contentHash(CARD)
  expect(expected).toMatch(/^[0-9a-f]{64}$/)
  const reversed = Object.fromEntries(Object.entries(CARD).reverse()) as typeof CARD
  expect(contentHash({ ...reversed, licence: 'MIT', version: 3 } as typeof CARD)).toBe(expected)
  for (const change of [{ title: 'Pool' }, { tags: ['pg', 'pool'] }, { root_cause: '' }, { body: 'x' }])
    expect(contentHash({ ...CARD, ...change }), JSON.stringify(change)).not.toBe(expected)
})
