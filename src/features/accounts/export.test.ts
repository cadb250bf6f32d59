import { get, type IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addLike } from '../../../test/support/cards.ts'
import { type LiveVault, liveVault, registerPerson } from '../../../test/support/live.ts'
import { newId } from '../../db/ids.ts'

let vault: LiveVault
beforeAll(async () => {
  vault = await liveVault()
})
afterAll(() => vault.close())

/** More than the connection holds, so that a reader who pauses holds up the export. */
const EVENTS = 80

const ask = (key: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'x-api-key': key }
    get(`${vault.url}/api/v1/auth/me/export`, { headers, agent: false }, resolve).once('error', reject)
  })

test('an export breaks off when its key is revoked', async () => {
  const person = await registerPerson(vault)
  const content = 'A long day at work. '.repeat(10_000)
  const event = { project_key: 'org/repo', event_type: 'turn', content }
  const { raw_id } = (await person.post('/api/v1/project-context/events', event)).body
  const more = Array.from({ length: EVENTS }, (_, i) => ({ raw_id: newId(), event_no: 1000 + i }))
  await addLike(vault.app, 'context_events', ['raw_id', raw_id], more)
  const { api_key, key_id } = (await person.post('/api/v1/auth/api-keys', { name: 'taker' })).body

  const answer = await ask(api_key)
  expect(answer.statusCode).toBe(200)
  expect((await person.delete(`/api/v1/auth/api-keys/${key_id}`)).status).toBe(204)
  await expect(finished(answer.resume())).rejects.toThrow('aborted')
})
