import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { openMenu, openStage } from './support.ts'
import { openPage } from './visit.ts'

const CLIENT = 'vault-test-client'
const keys = await generateKeyPair('RS256', { extractable: true })
const JWK = { ...(await exportJWK(keys.publicKey)), kid: 'test', alg: 'RS256' }
let stolenNonce = ''
let consents = true
let person = 'google-user'

/** Stands in for Google: its keys, and a sign-in page that agrees at once and sends people back. */
const google = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', ISSUER)
  if (url.pathname === '/keys') return response.end(JSON.stringify({ keys: [JWK] }))
  const state = url.searchParams.get('state') ?? ''
  const goBack = (answer: Record<string, string>) =>
    response
      .writeHead(302, {
        Location: `${url.searchParams.get('redirect_uri')}#${new URLSearchParams({ ...answer, state })}`,
      })
      .end()
  if (!consents) return goBack({ error: 'access_denied' })
  const nonce = stolenNonce || (url.searchParams.get('nonce') ?? '')
  const token = await new SignJWT({
    email: `${person}@example.com`,
    email_verified: true,
    name: 'Google user',
    nonce,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'test' })
    .setIssuer(ISSUER)
    .setAudience(CLIENT)
    .setSubject(person)
    .setExpirationTime('5m')
    .sign(keys.privateKey)
  return goBack({ id_token: token })
})
await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve))
const ISSUER = `http://127.0.0.1:${(google.address() as AddressInfo).port}`
afterAll(() => google.close())

const stage = openStage({
  GOOGLE_CLIENT_ID: CLIENT,
  GOOGLE_ISSUER: ISSUER,
  GOOGLE_JWKS_URL: `${ISSUER}/keys`,
})

test('the Google button signs somebody in without any script of theirs', async () => {
  const { page } = await stage.window()
  await openPage(page, '/sign-in')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  expect(page.url()).not.toContain('id_token')
  await page.getByText('Google user').first().waitFor()
  // Neither Back nor the address itself leads to a failed sign-in.
  await page.goBack()
  await page.getByRole('navigation', { name: 'Main' }).first().waitFor()
  await page.goto('/auth/google')
  await page.getByRole('navigation', { name: 'Main' }).first().waitFor()
})

test('an answer that this tab did not ask for signs nobody in', async () => {
  const { page } = await stage.window()
  stolenNonce = 'from-another-attempt'
  await openPage(page, '/sign-in')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByText('does not belong to a sign-in from this tab').waitFor()
  stolenNonce = ''
  await page.goto('/auth/google#id_token=a.b.c&state=x')
  await page.getByText('does not belong to a sign-in from this tab').waitFor()
})

test('who changes their mind at Google comes back to where they wanted to go, with their invite code', async () => {
  await stage.publishByStranger()
  const maker = await stage.person('Maker of a code')
  const { code } = await maker.api<{ code: string }>('POST', '/api/v1/billing/invites', {})
  const { page } = await stage.window()
  const agree = page.getByRole('button', { name: 'Continue with Google' })
  person = 'invited'
  consents = false
  await openPage(page, `/sign-up?next=/memory&invite=${code}`)
  await agree.click()
  await page.getByText('Google did not sign you in.').waitFor()
  await page.getByRole('link', { name: 'Back to sign up' }).click()
  expect(await page.getByLabel('Invite code').inputValue()).toBe(code)
  consents = true
  await agree.click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/memory')
  await openMenu(page)
  await page.getByRole('menuitem', { name: '120 credits' }).waitFor()
})
