import { expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

const KEYS = '/api/v1/auth/api-keys'

onBothEngines('API keys', (t) => {
  test('a name has more than control characters, which are not stored', async () => {
    const user = await t.user()
    for (const name of ['\u0007', '\u001b', ' \u0001 \u009f ']) {
      const refused = await user.post(KEYS, { name })
      expect(refused.status).toBe(422)
      expect(refused.body.detail).toMatchObject([
        { loc: ['body', 'name'], msg: 'Input should have at least 1 character besides control characters' },
      ])
    }
    expect((await user.post(KEYS, { name: '\u0007a' })).body.name).toBe('a')
  })

  test('a key that ends makes no key that outlives it; a session and a lasting key do', async () => {
    const user = await t.user()
    const ending = (await user.post(KEYS, { name: 'a week', expires_in_days: 7 })).body
    const lasting = (await user.post(KEYS, { name: 'lasting' })).body
    expect(lasting.expires_at).toBe(null)
    const withEnding = clientOf(t.app, { 'x-api-key': ending.api_key })
    for (const expires_in_days of [undefined, null, 30, 3650]) {
      const made = await withEnding.post(KEYS, { name: 'child', expires_in_days })
      expect([made.status, made.body.expires_at]).toEqual([201, ending.expires_at])
    }
    const shorter = await withEnding.post(KEYS, { name: 'child', expires_in_days: 1 })
    expect(shorter.body.expires_at < ending.expires_at).toBe(true)
    const withLasting = clientOf(t.app, { 'x-api-key': lasting.api_key })
    expect((await withLasting.post(KEYS, { name: 'child' })).body.expires_at).toBe(null)
  })
})
