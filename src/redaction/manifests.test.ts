import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(6)
const password = () => `Tr0${randomFrom('abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789', 8)}!x`

type Write = (encoded: string, plain: string) => string

const SECRETS: [name: string, write: Write][] = [
  [
    'YAML',
    (encoded) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  anything: ${encoded}\n`,
  ],
  ['YAML as kubectl sorts it', (encoded) => `data:\n  anything: ${encoded}\nkind: Secret\n`],
  [
    'a YAML list',
    (encoded) => `items:\n- apiVersion: v1\n  data:\n    anything: ${encoded}\n  kind: Secret\nkind: List\n`,
  ],
  ['stringData', (_, plain) => `kind: Secret\nstringData:\n  anything: ${plain} # of the database\n`],
  [
    'stringData in quotes, with blanks',
    (_, plain) => `kind: Secret\nstringData:\n  anything: "${plain} ${plain}"\n`,
  ],
  [
    'JSON',
    (encoded) => JSON.stringify({ apiVersion: 'v1', data: { anything: encoded }, kind: 'Secret' }, null, 4),
  ],
  ['JSON in one line', (encoded) => JSON.stringify({ kind: 'Secret', data: { a: encoded, b: encoded } })],
  [
    'a JSON list',
    (encoded) => JSON.stringify({ kind: 'List', items: [{ kind: 'Secret', data: { a: encoded } }] }),
  ],
  ['stringData in JSON', (_, plain) => JSON.stringify({ kind: 'Secret', stringData: { a: plain } })],
  [
    'an annotation with a copy',
    (encoded) =>
      JSON.stringify({ kind: 'Secret', metadata: { copy: JSON.stringify({ data: { a: encoded } }) } }),
  ],
]

test.each(SECRETS)('secrets of a manifest: %s', (_name, write) => {
  const plain = password()
  const encoded = btoa(plain)
  const { text, findings } = redact(write(encoded, plain))
  expect(text).not.toContain(encoded)
  expect(text).not.toContain(plain)
  expect(findings.map(({ kind }) => kind)).toEqual(['kubernetes_secret'])
})

test('each of several secrets in one file, and nothing beside their data', () => {
  const [a, b, c] = [btoa(password()), btoa(password()), btoa(password())]
  const item = (value: string) =>
    `- apiVersion: v1\n  data:\n    anything: ${value}\n  kind: Secret\n  metadata:\n    namespace: production\n`
  const config = '- apiVersion: v1\n  data:\n    region: frankfurt1\n  kind: ConfigMap\n'
  expect(redact(`items:\n${item(a)}${config}${item(b)}`).text).toBe(
    `items:\n${item('<KUBERNETES_SECRET>')}${config}${item('<KUBERNETES_SECRET>')}`,
  )
  expect(
    redact(`kind: ConfigMap\ndata:\n  region: frankfurt1\n---\nkind: Secret\ndata:\n  a: ${c}\n`).text,
  ).toBe('kind: ConfigMap\ndata:\n  region: frankfurt1\n---\nkind: Secret\ndata:\n  a: <KUBERNETES_SECRET>\n')
})

test.each([
  'apiVersion: v1\nkind: ConfigMap\ndata:\n  mode: production1\n',
  'kind: Secret\nmetadata:\n  name: my-secret-12345\ntype: Opaque\n',
  'kind: Secret\nstringData:\n  username: admin\n  host: "db.example.com"\n  key: $' + '{VALUE}\n',
  'kind: SecretProviderClass\nspec:\n  data:\n    vaultName: production1\n',
  '{"kind":"Secret","metadata":{"name":"my-tls-2024"},"type":"kubernetes.io/tls"}',
  '{"kind":"ConfigMap","data":{"mode":"production1"}}',
])('what is no secret stays: %j', (text) => expect(redact(text)).toEqual({ text, findings: [] }))
