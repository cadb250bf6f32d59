import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { cleanJson, Findings, redact } from './redact.ts'

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
    'token: getToken()',
    'key={item.id}',
    'key: tokens[index1]',
    'const key = sha256(data1)[0:16]',
    'token = line2[7:]',
    'token: 2026-03-14T10:22:30.123Z',
    `key: sha256:${hash}`,
    `host key: SHA256:${random}`,
    `image: acme/api:latest@sha256:${hash}`,
    'key: a1:b2:c3:d4:e5:f6',
    'Subject Key: keyid:06:B5:A4:AC:A7:AA:75:44:EA:15',
    'api: 2001:db8:85a3::8a2e:370:7334',
    'api: https://api1.example.com:8443/v1/a2?b3=c4d5e6',
    'api: ghcr.io/acme/app1:v2.3.4-rc.1',
    `key: user:${uuid}`,
    'key: user:42:cart7',
    'key: isProd?key1a2:key2b3',
    'api: App1::Config2::SECRET_KEY3',
    'bypass: CVE-2024-3094',
    'bypass=cve-2024-1234',
    'BYPASS=rule42_x',
    'surpass: gpt4o-mini',
    'encompass: area51x',
    'compass: n42e13x9',
    'render_pass: gbuffer0_v2',
    'renderPass: gbuffer0_v2',
    'shader pass: lit2d_v3',
    'second pass: x86_64-v3',
    'first_pass: 0x3fa2c',
    'low-pass: iir4_8khz',
    'pass_rate: 98.2pct',
    'passRate: 98.2pct',
    'primary_key=orders_2024',
    'sort_key: "orders_2024_eu1"',
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})

test('letters before the name of a password are those of what it is for', () => {
  for (const name of ['DB_PASS', 'dbpass', 'MYSQL_PASS', 'userpass', 'sshpass', 'rubypass', 'nearby_db_pass'])
    for (const sign of ['=', ': ']) {
      const text = `${name}${sign}${random}`
      expect(redact(text).text, text).toBe(`${name}${sign}<PASSWORD>`)
    }
})

test('a password behind the end of an address or a number in a row is one', () => {
  for (const before of ['user@acme.com ', 'smtp.example.com ', 'protected by ', 'SECOND_', 'first_'])
    for (const name of ['pass', 'PASS']) {
      const text = `${before}${name}: ${random}`
      expect(redact(text).text, text).toBe(`${before}${name}: <PASSWORD>`)
    }
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
    `FAL_KEY=${uuid}:${hash.slice(0, 32)}`,
    `APP_KEY=base64:${random}=`,
    `token: 12|${random}`,
  ])
    expect(redact(text).findings, text).toHaveLength(1)
})

test('a secret with a colon or a bar is replaced whole', () => {
  expect(redact(`export FAL_KEY=${uuid}:${hash.slice(0, 32)}\n`).text).toBe('export FAL_KEY=<API_KEY>\n')
  expect(redact(`token=12|${random}; x`).text).toBe('token=<TOKEN>; x')
})

test('every key of a list is replaced', () => {
  const key = () => `${randomFrom('abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789', 22)}==`
  for (let times = 0; times < 20; times += 1) {
    const keys = Array.from({ length: 4 }, key).join(',')
    expect(redact(`APP_KEYS=${keys}\nHOST=a`).text).toBe('APP_KEYS=<API_KEY>\nHOST=a')
  }
  const other = key()
  expect(redact(`api_keys: ${random},production,${other}`).text).toBe(
    `api_keys: <API_KEY>,production,${other}`,
  )
  expect(redact(`api_keys: ${random},production,${random}`).text).toBe(
    'api_keys: <API_KEY>,production,<API_KEY>',
  )
  expect(redact(`token=${random},id=${uuid}`).text).toBe(`token=<TOKEN>,id=${uuid}`)
})

test('a long opaque token is replaced whole, and other long values stay', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-'
  for (const length of [250, 700, 3900]) {
    const token = `q7${randomFrom(letters, length)}Z4`
    expect(redact(`{"refresh_token": "${token}", "a": 1}`).text).toBe('{"refresh_token": "<TOKEN>", "a": 1}')
    expect(redact(`REFRESH_TOKEN=${token}\n`).text).toBe('REFRESH_TOKEN=<TOKEN>\n')
    expect(redact(`?client_secret=${token}&a=1`).text).toBe('?client_secret=<SECRET>&a=1')
    expect(cleanJson({ refresh_token: token }, new Findings())).toEqual({ refresh_token: '<TOKEN>' })
  }
  for (const text of [
    `token: "${'lorem-ipsum-dolor-'.repeat(20)}"`,
    `"key": "${'uploads/user1/2026/03/photos2/'.repeat(10)}cat.png"`,
    `"key": "AAAAB3NzaC1yc2EAAAADAQAB${randomFrom(letters, 350)}"`,
    `"token": "${'a1B2'.repeat(60)}${'x'.repeat(40)}"`,
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})
