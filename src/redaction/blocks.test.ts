import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(5)
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const marker = (which: string, of: string) => `-----${which} ${of}-----`
const BEGIN = marker('BEGIN', ['RSA PRIVATE', 'KEY'].join(' '))
const END = marker('END', ['RSA PRIVATE', 'KEY'].join(' '))
/** The last line of a key is shorter. */
const keyLines = () => [
  ...Array.from({ length: 6 }, () => randomFrom(BASE64, 64)),
  `${randomFrom(BASE64, 30)}==`,
]

/** How programs show the lines of a file. */
const SHOWN: [name: string, write: (line: string, index: number) => string][] = [
  ['as they are', (line) => line],
  ['by an agent', (line, i) => `   ${i + 8}→${line}`],
  ['cat -n', (line, i) => `     ${i + 1}\t${line}`],
  ['grep -n', (line, i) => `${i + 8}:${line}`],
  ['grep -A', (line, i) => `certs/app.pem-${i + 8}-${line}`],
  ['a quote', (line) => `> ${line}`],
  ['a deleted line', (line) => `-${line}`],
  ['an added line', (line) => `+${line}`],
  ['docker compose', (line) => `web-1  | ${line}`],
  ['a log with times', (line) => `2026-05-01T10:00:00.000Z ${line}`],
  ['a comment', (line) => `# ${line}`],
  ['joined strings', (line) => `  "${line}\\n" +`],
  ['strings side by side', (line) => `    '${line}\\n'`],
  ['a list of strings', (line) => `  "${line}",`],
]

test.each(SHOWN)('a key whose end or beginning is missing, in lines of %s', (_name, write) => {
  const lines = keyLines()
  const before = 'Here it is'
  const cutOff = redact([before, ...[BEGIN, ...lines].map(write), 'plain words follow'].join('\n'))
  expect(cutOff.findings).toEqual([{ kind: 'private_key', count: 1 }])
  expect(lines.filter((line) => cutOff.text.includes(line.slice(0, 12)))).toEqual([])
  expect(cutOff.text).toMatch(/^Here it is\n.*plain words follow$/s)
  const headless = redact([before, ...[...lines, END].map(write), 'plain words follow'].join('\n'))
  expect(headless.findings).toEqual([{ kind: 'private_key', count: 1 }])
  expect(lines.filter((line) => headless.text.includes(line.slice(0, 12)))).toEqual([])
  expect(headless.text).toMatch(/^Here it is\n.*plain words follow$/s)
})

test('an encrypted key that is cut off, and a key without its beginning in one line', () => {
  const lines = keyLines()
  const encrypted = [BEGIN, 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-256-CBC,0A1B2C', '', ...lines]
  const shown = encrypted.map((line, i) => `${String(i + 1).padStart(4)}→${line}`).join('\n')
  expect(redact(shown).text).toBe('   1→<PRIVATE_KEY>')
  expect(redact(`key = "${[...lines, END].join('\\n')}"`).text).toBe('key = "<PRIVATE_KEY>"')
})

test('a static key of OpenVPN', () => {
  const name = ['OpenVPN Static', 'key V1'].join(' ')
  const lines = Array.from({ length: 16 }, () => randomFrom('0123456789abcdef', 32))
  const key = [marker('BEGIN', name), ...lines, marker('END', name)]
  expect(redact(`<tls-auth>\n${key.join('\n')}\n</tls-auth>`).text).toBe(
    '<tls-auth>\n<PRIVATE_KEY>\n</tls-auth>',
  )
  expect(redact(`${key.slice(0, 9).join('\n')}\nplain words`).text).toBe('<PRIVATE_KEY>\nplain words')
})

test('a key in base64, in one line or wrapped', () => {
  const names = ['RSA PRIVATE', 'PRIVATE', 'EC PRIVATE', 'OPENSSH PRIVATE', 'ENCRYPTED PRIVATE']
  for (const name of names) {
    const pem = [marker('BEGIN', `${name} KEY`), ...keyLines(), marker('END', `${name} KEY`), ''].join('\n')
    const encoded = btoa(pem)
    expect(redact(`    client-key-data: ${encoded}\n    client: a`).text).toBe(
      '    client-key-data: <PRIVATE_KEY>\n    client: a',
    )
    expect(redact(`KEY_B64=${encoded}`).text).toBe('KEY_B64=<PRIVATE_KEY>')
    const wrapped = encoded.match(/.{1,76}/g)?.join('\n  ') ?? ''
    expect(redact(`data: |\n  ${wrapped}\nnext: 1`).text).toBe('data: |\n  <PRIVATE_KEY>\nnext: 1')
  }
})

test('certificates, public keys and mentions of keys are left alone', () => {
  const body = [randomFrom(BASE64, 64), randomFrom(BASE64, 64)]
  const certificate = [marker('BEGIN', 'CERTIFICATE'), ...body, marker('END', 'CERTIFICATE')].join('\n')
  for (const text of [
    certificate,
    certificate.replaceAll('CERTIFICATE', 'PUBLIC KEY'),
    `certificate-authority-data: ${btoa(certificate)}`,
    `Look for ${END} at the end of the file.`,
    `The file starts with ${BEGIN} and more lines.\nThe words after it are kept.`,
    `> ${BEGIN}\n> and so on`,
    `| line | ${END} |`,
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})

test('a key of commercial SSH, whole, escaped and cut off; a public one stays', () => {
  const mark = (which: string, of: string) => `---- ${which} SSH2 ${of} ----`
  const [begin, end] = ['BEGIN', 'END'].map((which) => mark(which, ['ENCRYPTED PRIVATE', 'KEY'].join(' ')))
  const lines = [begin, 'Comment: "rsa-key"', ...keyLines()]
  for (const write of [
    (key: string) => `before\n${key}\nafter`,
    (key: string) => `{"file": "${key.replaceAll('"', '').replaceAll('\n', '\\n')}"}`,
  ])
    expect(redact(write([...lines, end].join('\n'))).text).toBe(write('<PRIVATE_KEY>'))
  expect(redact(`${lines.join('\n')}\nplain words`).text).toBe('<PRIVATE_KEY>\nplain words')
  const publicKey = [mark('BEGIN', 'PUBLIC KEY'), ...keyLines(), mark('END', 'PUBLIC KEY')].join('\n')
  expect(redact(publicKey).text).toBe(publicKey)
})

test('key files that are base64 as a whole need no name; certificates and public keys stay', () => {
  const body = () => randomFrom(BASE64, 300)
  const der = (kind: string) => `MII${randomFrom('ABCDEFGHIJKLMNOP', 1)}${randomFrom(BASE64, 1)}${kind}`
  for (const start of [
    der('AIBAzCC'),
    der('wIBADANBgkqhkiG9w0BAQEFAASC'),
    der('gIBAAKCAQEA'),
    ['MIGHAgEAMBMG', 'ByqGSM49'].join(''),
    ['/u3+7Q', 'AAAAIAAA'].join(''),
  ]) {
    for (const write of [
      (key: string) => `PFX_BASE64=${key}`,
      (key: string) => `"p12": "${key}",`,
      (key: string) => `cat store.b64\n${key}\n$ ls`,
    ])
      expect(redact(write(`${start}${body()}=`)).text).toBe(write('<PRIVATE_KEY>'))
    const wrapped = [`${start}${randomFrom(BASE64, 76 - start.length)}`, randomFrom(BASE64, 76)].join('\n')
    expect(redact(`store:\n${wrapped}\nplain words`).text).toBe('store:\n<PRIVATE_KEY>\nplain words')
  }
  for (const start of ['MIIDdzCCAl+gAwIBAgIE', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA', 'IBAzCC'])
    expect(redact(`see ${start}${body()}`).findings).toEqual([])
})
