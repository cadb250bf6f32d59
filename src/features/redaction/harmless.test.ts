import { expect, test } from 'vitest'
import { sampler } from '../../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(12)
const HEX = '0123456789abcdef'
const uuid = [8, 4, 4, 4, 12].map((length) => randomFrom(HEX, length)).join('-')
const hash = `a${randomFrom(HEX, 38)}b`
const random = `q7Z4${randomFrom('abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789', 20)}k2W9`

test('names and forms of a value that is no secret', () => {
  for (const text of [
    'secretName: my-secret-1',
    'secretName: prod-db-creds-7f9c4',
    'apiVersion: storage.k8s.io/v1beta1',
    'secretKeyRef: prod-db-7f9c4d2',
    'token_type: urn2:ietf8:params3',
    'PASSWORD_HASH_ALGORITHM=argon2id19',
    `client_id: ${uuid}`,
    `keyId: "${uuid}"`,
    `kms_key_id = "${random}"`,
    `rest_api_id = "${random}"`,
    `publicKey: ${random}`,
    `VAPID_PUBLIC_KEY=${random}`,
    `PublicKeyToken=${randomFrom(HEX, 16)}`,
    `gpg --recv-keys ${hash.toUpperCase()}`,
    'AUTH0_DOMAIN=dev-a1b2c3d4.eu.auth0.com',
    'auth: NextAuth@5.0.0',
    'auth: @scope/auth-core@1.2.3-beta.1',
    `cache key: node-modules-linux-${hash}`,
    `const savedCacheKey = "Linux-node-${hash}"`,
    `restore-keys: |\n  npm-feature-${hash.slice(0, 8)}\n  npm-feature-`,
    'key: build-2024-05-01',
    'key = "oauth2_provision_cb"',
    'key_usage = "TR31_P0_PIN_ENCRYPTION_KEY"',
    'clientSecret: AUTH_AZURE_AD_B2C_CLIENT_SECRET',
    'clientSecret: import.meta.env.AUTH_B2C_SECRET!',
    'key = "arn:aws:kms:us-west-2:187416307283:alias/orders_key"',
    '[api-mdx-jsx-to-markdown]: #mdxjsxtomarkdownoptions',
    '| key | used |\n|---|---|\n| build-2024-05-01 | yes |',
    '| secretName | prod-db-creds-7f9c4 |',
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})

test('beside the names and forms that are close to them a secret is one', () => {
  for (const text of [
    `secret: ${random}`,
    `secretAccount: ${random}`,
    `client_id: ${random}`,
    `session_id: ${uuid}`,
    `api_key: ${uuid}`,
    `access_key_id: ${random}`,
    `privateKey: ${random}`,
    `api_key: node-modules-${hash}`,
    `key: ${hash}`,
    `key: live-${hash}`,
    `key: X4KD9-2Q7ZP-${randomFrom('ABCDEFGH23456789', 5)}-7HJ2K`,
    `token: ${randomFrom('ABCDEFGH23456789', 12)}_${randomFrom('ABCDEFGH23456789', 12)}`,
    `| secret | ${random} |`,
  ])
    expect(redact(text).findings, text).toHaveLength(1)
})
