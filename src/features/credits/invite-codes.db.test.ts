import { describe, expect, test } from 'vitest'
import { makeAdmin } from '../../../test/support/admin.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { newId } from '../../db/ids.ts'
import { DAY_MS } from '../../shared/time.ts'

const INVITES = '/api/v1/billing/invites'
const REDEEM = '/api/v1/billing/redeem-invite'
type Someone = Awaited<ReturnType<TestVault['user']>>

const balance = async (one: Someone) => (await one.get('/api/v1/billing/status')).body.credits_balance

onBothEngines('invite codes', (t) => {
  const make = async (one: Someone, body = {}) => (await one.post(INVITES, body)).body

  test('give 20 credits to both sides, once', async () => {
    const [maker, friend, other] = [await t.user(), await t.user(), await t.user()]
    const created = await maker.post(INVITES, { note: 'for the new team' })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ credits: 20, max_uses: 1, uses: 0, status: 'open' })
    const redeemed = await friend.post(REDEEM, { code: ` ${created.body.code.toLowerCase()} ` })
    expect(redeemed.status).toBe(200)
    expect(redeemed.body).toEqual({ credits_awarded: 20, credits_pending: 0, credits_balance: 120 })
    expect(await balance(maker)).toBe(120)
    const used = await other.post(REDEEM, { code: created.body.code })
    expect(used.status).toBe(409)
    expect(used.body.code).toBe('invite_not_pending')
    expect(await balance(other)).toBe(100)
    expect((await maker.get(INVITES)).body).toEqual([
      expect.objectContaining({ invite_id: created.body.invite_id, status: 'used', uses: 1 }),
    ])
    expect((await friend.get(INVITES)).body).toEqual([])
  })

  test('its maker withdraws an open code; it is unknown then and makes room for another', async () => {
    const [maker, friend, other] = [await t.user(), await t.user(), await t.user()]
    const codes = []
    for (let i = 0; i < 10; i++) codes.push(await make(maker))
    expect((await maker.post(INVITES, {})).body.code).toBe('too_many_invites')
    const [first, second] = codes
    expect((await other.delete(`${INVITES}/${first.invite_id}`)).status).toBe(404)
    const withdrawn = await maker.delete(`${INVITES}/${first.invite_id}`)
    expect([withdrawn.status, withdrawn.body]).toEqual([200, { ...first, status: 'withdrawn' }])
    const refused = await friend.post(REDEEM, { code: first.code })
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found'])
    expect(await balance(friend)).toBe(100)
    expect((await maker.post(INVITES, {})).status).toBe(201)
    const again = await maker.delete(`${INVITES}/${first.invite_id}`)
    expect([again.status, again.body.code]).toEqual([409, 'invite_not_pending'])
    await friend.post(REDEEM, { code: second.code })
    expect((await maker.delete(`${INVITES}/${second.invite_id}`)).status).toBe(409)
    expect((await maker.delete(`${INVITES}/x`)).status).toBe(422)
  })

  test('codes that are made and withdrawn without end make no endless list', async () => {
    const maker = await t.user()
    const { invite_id } = await make(maker)
    await maker.delete(`${INVITES}/${invite_id}`)
    await t.app.services.database.transaction(async (db) => {
      const found = db.selectFrom('billing_invites').selectAll().where('invite_id', '=', invite_id)
      const row = await found.executeTakeFirstOrThrow()
      const others = Array.from({ length: 250 }, (_, number) => ({
        invite_id: newId(),
        code: `${number} ${invite_id}`,
      }))
      await db
        .insertInto('billing_invites')
        .values(others.map((other) => ({ ...row, ...other })))
        .execute()
    })
    const newest = await make(maker)
    const listed = (await maker.get(INVITES)).body
    expect(listed).toHaveLength(200)
    expect(listed[0]).toEqual(newest)
  })

  test('redeemed and withdrawn at the same moment: one of the two, and the ledger agrees', async () => {
    for (let round = 0; round < 4; round++) {
      const [maker, friend] = [await t.user(), await t.user()]
      const code = await make(maker)
      const [taken, redeemed] = await Promise.all([
        maker.delete(`${INVITES}/${code.invite_id}`),
        friend.post(REDEEM, { code: code.code }),
      ])
      const isRedeemed = redeemed.status === 200
      expect([taken.status, redeemed.status]).toEqual(isRedeemed ? [409, 200] : [200, 404])
      expect([await balance(maker), await balance(friend)]).toEqual(isRedeemed ? [120, 120] : [100, 100])
    }
  })

  test('one account redeems one code, and never its own', async () => {
    const [maker, friend] = [await t.user(), await t.user()]
    const [first, second] = [await make(maker), await make(maker)]
    const own = await maker.post(REDEEM, { code: first.code })
    expect(own.status).toBe(403)
    await friend.post(REDEEM, { code: first.code })
    const again = await friend.post(REDEEM, { code: second.code })
    expect(again.status).toBe(409)
    expect(again.body.code).toBe('already_redeemed')
    expect(await balance(friend)).toBe(120)
    expect(await balance(maker)).toBe(120)
  })

  test('unknown: 404; empty: 422; past its time: 410', async () => {
    const [maker, friend] = [await t.user(), await t.user()]
    expect((await friend.post(REDEEM, { code: 'KV-AAAAA-AAAAA' })).status).toBe(404)
    expect((await friend.post(REDEEM, { code: '  ' })).status).toBe(422)
    expect((await friend.post(REDEEM, {})).status).toBe(422)
    const { code } = await make(maker, { expires_in_days: 1 })
    t.later(DAY_MS + 1000)
    const late = await friend.post(REDEEM, { code })
    expect(late.status).toBe(410)
    expect(late.body.code).toBe('invite_expired')
    expect((await maker.get(INVITES)).body[0].status).toBe('expired')
    expect(await balance(friend)).toBe(100)
  })

  test('at most ten are open at a time, also when made all at once', async () => {
    const maker = await t.user()
    const answers = await Promise.all(Array.from({ length: 14 }, () => maker.post(INVITES, {})))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10)
    expect(answers.find((answer) => answer.status === 409)?.body.code).toBe('too_many_invites')
    const codes = new Set((await maker.get(INVITES)).body.map((one: { code: string }) => one.code))
    expect(codes.size).toBe(10)
    await (await t.user()).post(REDEEM, { code: [...codes][0] })
    expect((await maker.post(INVITES, {})).status).toBe(201)
  })

  test('a one-use code that many redeem at the same moment pays one', async () => {
    const maker = await t.user()
    const { code } = await make(maker)
    const friends = await Promise.all(Array.from({ length: 8 }, () => t.user()))
    const answers = await Promise.all(friends.map((friend) => friend.post(REDEEM, { code })))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(7)
    expect(await balance(maker)).toBe(120)
    const balances = await Promise.all(friends.map(balance))
    expect(balances.reduce((sum, one) => sum + one, 0)).toBe(8 * 100 + 20)
  })

  test('one account that redeems two codes at the same moment gets one', async () => {
    const [maker, friend] = [await t.user(), await t.user()]
    const codes = [await make(maker), await make(maker)]
    const answers = await Promise.all(codes.map(({ code }) => friend.post(REDEEM, { code })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    expect(await balance(friend)).toBe(120)
  })

  test('only administrators set credits and more uses', async () => {
    const person = await t.user()
    expect((await person.post(INVITES, { credits: 500 })).status).toBe(403)
    expect((await person.post(INVITES, { max_uses: 2 })).status).toBe(403)
    expect((await person.post(INVITES, { expires_in_days: 0 })).status).toBe(422)
  })

  describe('at registration', () => {
    test('a code is redeemed with the account; a bad one makes no account', async () => {
      const maker = await t.user()
      const { code } = await make(maker)
      const register = (email: string, invite_code: string) =>
        t.anonymous().post('/api/v1/auth/register', { email, password: 'correct horse', invite_code })
      const joined = await register('invited@example.com', code)
      expect(joined.status).toBe(201)
      expect(joined.body.user.credits_balance).toBe(120)
      expect(await balance(maker)).toBe(120)
      expect((await register('late@example.com', code)).status).toBe(409)
      expect((await register('late@example.com', 'KV-NONE')).status).toBe(404)
      const login = { email: 'late@example.com', password: 'correct horse' }
      expect((await t.anonymous().post('/api/v1/auth/login', login)).status).toBe(401)
    })
  })
})

onBothEngines(
  'a server that asks for invite codes',
  (t) => {
    const register = (email: string, invite_code?: string) =>
      t.anonymous().post('/api/v1/auth/register', { email, password: 'correct horse', invite_code })

    test('lets in its administrator, who makes a code for many people, and everybody who has the code', async () => {
      expect((await register('stranger@example.com')).status).toBe(403)
      const admin = await register('Admin@example.com')
      expect(admin.status).toBe(201)
      expect((await register('admin@example.com')).status).toBe(403)
      await makeAdmin(t.app, 'admin@example.com')
      const bearer = { authorization: `Bearer ${admin.body.access_token}` }
      const made = await t.anonymous().post(INVITES, { credits: 50, max_uses: 2 }, bearer)
      expect(made.body).toMatchObject({ credits: 50, max_uses: 2 })
      const joined = await Promise.all(
        ['a', 'b', 'c'].map((name) => register(`${name}@example.com`, made.body.code)),
      )
      expect(joined.map((answer) => answer.status).sort()).toEqual([201, 201, 409])
      expect(joined.find((answer) => answer.status === 201)?.body.user.credits_balance).toBe(150)
      const status = await t.anonymous().get('/api/v1/billing/status', bearer)
      expect(status.body.credits_balance).toBe(140)
    })
  },
  { REGISTRATION: 'invite', ADMIN_EMAILS: 'admin@example.com' },
)
