import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { sideways } from './pictures.ts'
import { openStage, PASSWORD } from './support.ts'

const stage = openStage()

/** In one word, as the app may choose it. */
const NAME = 'TerminalAgent'.repeat(15)

/** The app on this computer that waits for the browser to come back. */
let app: Server
let callback: string
const returned: URL[] = []

beforeAll(async () => {
  app = createServer((request, response) => {
    returned.push(new URL(request.url ?? '/', callback))
    response
      .setHeader('content-type', 'text/html')
      .end('<title>Back in the app</title><link rel="icon" href="data:,">')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => app.once('listening', resolve))
  callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
})
afterAll(() => {
  app.close()
})

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('somebody signed out connects an app: sign-in, a page that says what it asks for, and back to the app', async () => {
  const [person, neighbour] = [await stage.account('Connecting'), await stage.account('Neighbour')]
  const client = (await (
    await fetch(`${stage.base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: NAME,
        redirect_uris: [callback],
        token_endpoint_auth_method: 'none',
      }),
    })
  ).json()) as { client_id: string }
  const verifier = randomBytes(32).toString('base64url')
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: callback,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'kept',
  })

  const { page } = await stage.window()
  await page.goto(`/oauth/authorize?${request}`)
  await signIn(page, neighbour.email)

  // Signed in as somebody else, as on a shared computer.
  await page.getByText(neighbour.email).waitFor()
  await page.getByRole('link', { name: 'Use another account' }).click()
  await signIn(page, person.email)

  await page.getByRole('heading', { name: `Connect ${NAME}?` }).waitFor()
  await page.getByText(person.email).waitFor()
  expect(await sideways(page)).toBe(0)
  await expectAccessible(page)
  expect(await page.getByLabel(/Publish cards to the public library/).isChecked()).toBe(false)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.waitForURL(`${callback}?**`)

  const [answer] = returned.filter((url) => url.searchParams.has('code'))
  expect(answer?.searchParams.get('state')).toBe('kept')
  expect(answer?.searchParams.get('iss')).toBe(stage.base)
  const tokens = (await (
    await fetch(`${stage.base}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: client.client_id,
        code: answer?.searchParams.get('code') ?? '',
        code_verifier: verifier,
      }),
    })
  ).json()) as { scope: string }
  expect(tokens.scope).toBe('search record case:write')
})
