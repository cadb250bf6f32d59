import { expect, test } from 'vitest'
import { SCOPES } from '../../src/shared/scopes.ts'
import { type Person, record } from '../support/cards.ts'
import { type Client, clientOf } from '../support/client.ts'
import { onBothEngines } from '../support/engines.ts'
import { foreignCard } from '../support/foreign-card.ts'
import { oauthApp } from '../support/oauth-app.ts'

const url = ({ card_id }: { card_id: string }) => `/api/v1/cards/${card_id}`
const OPEN = ['unlisted', 'public'] as const
const REFUSED = { status: 403, body: { code: 'missing_scope', required_scopes: ['publish'] } }
const WITHOUT_PUBLISH = SCOPES.filter((scope) => scope !== 'publish')

/** Whoever lets a program write, and not publish, means that no stranger reads what it writes. */
onBothEngines('a credential without the scope publish', (t) => {
  const { base, connect, bearer, mcp } = oauthApp(t)

  const keyOf = async (person: Person, scopes: readonly string[]): Promise<Client> => {
    const made = await person.post('/api/v1/auth/api-keys', { name: 'agent', scopes })
    return clientOf(t.app, { 'x-api-key': made.body.api_key })
  }
  /** A key and an app of the same person. */
  async function programsOf(person: Person): Promise<Client[]> {
    const scope = WITHOUT_PUBLISH.filter((one) => one !== 'account').join(' ')
    const { tokens } = await connect(person, { scope, resource: base() })
    return [await keyOf(person, WITHOUT_PUBLISH), clientOf(t.app, bearer(tokens.access_token))]
  }
  const workspaceOf = async (person: Person, visibility: string): Promise<string> =>
    (await person.post('/api/v1/workspaces', { name: 'Team', visibility })).body.workspace_id
  const isReadByStrangers = async (card: { card_id: string }) =>
    (await (await t.user('stranger')).get(url(card))).status === 200

  test('shares nothing where strangers read, by route or tool, in place or by bringing it there', async () => {
    const me = await t.user()
    const programs = await programsOf(me)
    for (const visibility of OPEN) {
      const workspace_id = await workspaceOf(me, visibility)
      const there = await record(me, { workspace_id })
      const elsewhere = await record(me)
      for (const program of programs) {
        expect(await program.post(`${url(there)}/share`)).toMatchObject(REFUSED)
        expect(await program.tool('share_card', { card_id: there.card_id })).toMatchObject(REFUSED)
        expect(await program.post(`${url(elsewhere)}/share`, { workspace_id })).toMatchObject(REFUSED)
      }
      expect((await me.get(url(elsewhere))).body.workspace_id).toBe(me.workspaceId)
      expect(await isReadByStrangers(there)).toBe(false)
      const publisher = await keyOf(me, [...WITHOUT_PUBLISH, 'publish'])
      expect((await publisher.post(`${url(there)}/share`)).status).toBe(200)
      expect(await isReadByStrangers(there)).toBe(true)
    }
  })

  test('is told by the MCP door which scope it lacks', async () => {
    const me = await t.user()
    const { card_id } = await record(me, { workspace_id: await workspaceOf(me, 'public') })
    const { tokens } = await connect(me, { scope: 'search record' })
    const answer = await mcp(tokens.access_token, 'tools/call', {
      name: 'share_card',
      arguments: { card_id },
    })
    expect(answer.body.result.isError).toBe(true)
    expect(answer.body.result.content[0].text).toContain('Needed: publish.')
  })

  test('opens no workspace and makes none public, but may close one', async () => {
    const me = await t.user()
    const programs = await programsOf(me)
    const [closed, unlisted] = [await workspaceOf(me, 'private'), await workspaceOf(me, 'unlisted')]
    const shared = await record(me, { workspace_id: closed })
    await me.post(`${url(shared)}/share`)
    for (const program of programs) {
      const change = (id: string, body: object) => program.patch(`/api/v1/workspaces/${id}`, body)
      for (const visibility of OPEN) expect(await change(closed, { visibility })).toMatchObject(REFUSED)
      expect(await change(unlisted, { visibility: 'public' })).toMatchObject(REFUSED)
      expect((await change(closed, { visibility: 'private', name: 'Renamed' })).status).toBe(200)
      expect((await change(unlisted, { visibility: 'unlisted' })).status).toBe(200)
    }
    expect(await isReadByStrangers(shared)).toBe(false)
    const [key] = programs
    expect((await key?.patch(`/api/v1/workspaces/${unlisted}`, { visibility: 'private' }))?.status).toBe(200)
  })

  test('brings no deleted card back to strangers', async () => {
    const me = await t.user()
    const [open, team] = [await workspaceOf(me, 'public'), await workspaceOf(me, 'private')]
    const [seen, inside] = [
      await record(me, { workspace_id: open }),
      await record(me, { workspace_id: team }),
    ]
    for (const card of [seen, inside]) {
      expect((await me.post(`${url(card)}/share`)).status).toBe(200)
      await me.delete(url(card))
    }
    for (const program of await programsOf(me))
      expect(await program.post(`${url(seen)}/undelete`)).toMatchObject(REFUSED)
    expect(await isReadByStrangers(seen)).toBe(false)
    const [key] = await programsOf(me)
    expect((await key?.post(`${url(inside)}/undelete`))?.body.status).toBe('published')
    expect((await me.post(`${url(seen)}/undelete`)).body.status).toBe('published')
  })

  test('moves and pulls nothing to strangers: a shared card arrives unpublished, a pulled one not at all', async () => {
    const me = await t.user()
    const [key] = await programsOf(me)
    const team = await workspaceOf(me, 'private')
    for (const visibility of OPEN) {
      const workspace_id = await workspaceOf(me, visibility)
      const shared = await record(me, { workspace_id: team })
      await me.post(`${url(shared)}/share`)
      const moved = await key?.post(`${url(shared)}/move`, { workspace_id })
      expect(moved?.body.status).toBe('unpublished')
      expect(await isReadByStrangers(shared)).toBe(false)
      const cards = [foreignCard()]
      const pulled = await key?.post('/api/v1/library/import', {
        workspace_id,
        server: 'https://other.example',
        cards,
      })
      expect(pulled?.status).toBe(422)
    }
  })

  test('shares, moves and brings back inside private workspaces as before', async () => {
    const me = await t.user()
    const [one, two] = [await workspaceOf(me, 'private'), await workspaceOf(me, 'private')]
    for (const program of await programsOf(me)) {
      const card = await record(program, { workspace_id: one })
      expect((await program.post(`${url(card)}/share`)).body.status).toBe('published')
      expect((await program.post(`${url(card)}/share`, { workspace_id: two })).status).toBe(200)
      expect((await program.delete(url(card))).status).toBe(204)
      expect((await program.post(`${url(card)}/undelete`)).body).toMatchObject({
        status: 'published',
        workspace_id: two,
      })
    }
  })
})
