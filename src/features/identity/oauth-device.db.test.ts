import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { type Fields, oauthApp, type Person } from '../../../test/support/oauth-app.ts'
import { contextFor } from '../../core/context.ts'
import { DEVICE_GRANT } from './oauth-device.ts'
import { dropOAuthLeftovers } from './oauth-grants.ts'

onBothEngines('sign-in by a code on another device', (t) => {
  const { register, form, token, mcp } = oauthApp(t)
  const PAGE = '/oauth/device'
  const cookie = (person: Person) => ({ cookie: `kv_session=${person.token}` })
  const hidden = (html: string, name: string) =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''

  async function start(clientId: string, scope = 'search record publish') {
    const answer = await form('/oauth/device_authorization', Object.entries({ client_id: clientId, scope }))
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json() as Record<'device_code' | 'user_code' | 'verification_uri', string>
  }

  async function enter(person: Person, code: string) {
    const { text } = await t.anonymous().get(PAGE, cookie(person))
    const fields: [string, string][] = [
      ['csrf', hidden(text, 'csrf')],
      ['user_code', code],
    ]
    return form(PAGE, fields, cookie(person))
  }

  const decide = (person: Person, html: string, decision: string, grants: string[]) =>
    form(
      PAGE,
      [
        ['csrf', hidden(html, 'csrf')],
        ['user_code', hidden(html, 'user_code')],
        ['decision', decision],
        ...grants.map((grant): [string, string] => ['grant', grant]),
      ],
      cookie(person),
    )

  const poll = async (client_id: string, device_code: string, more: Fields = {}) => {
    const answer = await token({ grant_type: DEVICE_GRANT, client_id, device_code, ...more })
    return answer.status === 200 ? answer.body : answer.body.error
  }

  test('a person types the code, and the device gets what was ticked, once', async () => {
    const person = await t.user()
    const { client_id } = await register()
    const { device_code, user_code, verification_uri } = await start(client_id)
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(verification_uri).toMatch(/\/device$/)
    expect(await poll(client_id, device_code)).toBe('authorization_pending')
    expect(await poll(client_id, device_code)).toBe('slow_down')
    const consent = await enter(person, user_code.toLowerCase().replace('-', ' '))
    expect(consent.body).toContain('nobody sent it to you')
    const done = await decide(person, consent.body, 'allow', ['search', 'record', 'workspace:write'])
    expect(done.body).toContain('Connected')
    t.later(11_000)
    const tokens = await poll(client_id, device_code)
    expect(tokens.scope).toBe('search record')
    expect((await mcp(tokens.access_token, 'tools/list')).status).toBe(200)
    expect(await poll(client_id, device_code)).toBe('invalid_grant')
    expect((await enter(person, user_code)).statusCode).toBe(400)
  })

  test('a refusal, an end, another client and a wrong code get nothing', async () => {
    const person = await t.user()
    const { client_id } = await register()
    const { client_id: stranger } = await register()
    const declined = await start(client_id)
    await decide(person, (await enter(person, declined.user_code)).body, 'deny', [])
    expect(await poll(client_id, declined.device_code)).toBe('access_denied')

    const late = await start(client_id)
    expect(await poll(stranger, late.device_code)).toBe('invalid_grant')
    const consent = await enter(person, late.user_code)
    t.later(601_000)
    expect((await decide(person, consent.body, 'allow', ['search'])).statusCode).toBe(400)
    expect(await poll(client_id, late.device_code)).toBe('expired_token')
    expect((await enter(person, 'BBBB-BBBB')).statusCode).toBe(400)
    expect((await enter(person, 'not a code')).statusCode).toBe(400)
    t.later(86_400_000)
    await dropOAuthLeftovers(contextFor(t.app.services))
    expect(await poll(client_id, late.device_code)).not.toBe('expired_token')
  })

  test('only a signed-in person on the page decides, not a key and not a foreign form', async () => {
    const [person, other] = [await t.user(), await t.user('other')]
    const { client_id } = await register()
    const { device_code, user_code } = await start(client_id)
    expect((await t.anonymous().get('/device')).headers.location).toBe(PAGE)
    expect((await t.anonymous().get(PAGE)).headers.location).toContain('/sign-in')
    const consent = await enter(person, user_code)
    const foreign = await decide(other, consent.body, 'allow', ['search'])
    expect(foreign.statusCode).toBe(400)
    expect((await form(PAGE, [['user_code', user_code]], cookie(other))).statusCode).toBe(400)
    expect(await poll(client_id, device_code)).toBe('authorization_pending')
  })

  test('the metadata names the endpoint', async () => {
    const { body } = await t.anonymous().get('/.well-known/oauth-authorization-server')
    expect(body.device_authorization_endpoint).toMatch(/\/oauth\/device_authorization$/)
    expect(body.grant_types_supported).toContain(DEVICE_GRANT)
  })
})
