import { expect, test } from 'vitest'
import { cardFields } from '../../text/snippet.ts'
import { codesAsked, isAboutAnotherCode } from './query.ts'

const isAnother = (query: string, title: string, body = '') =>
  isAboutAnotherCode(codesAsked(query), cardFields(title, [{ where: 'body', text: body }]))

test('a card about another code of the asked kind is about another thing', () => {
  for (const [query, title] of [
    ['exit code 255', 'Container exits with code 137'],
    ['exited with status 1', 'Worker ends with exit status 139'],
    ['exited with code 139', 'Der Container endet mit Exit-Code 137'],
    ['statuscode 502', 'HTTP probe failed with statuscode: 503'],
    ['HTTP 418', 'HTTP 503 during deploys'],
    ['Request failed with status code 401', 'HTTP/1.1 500 after the upgrade'],
    ['ora-12154', 'ORA-00001: unique constraint violated'],
    ['error TS2304', 'TS2345: Argument of type string'],
    ['mysql ERROR 1205', 'ERROR 1045: Access denied'],
    ['windows 0x80004005', 'Windows error 0x80070005'],
    ['ts 2304', 'TS2345: Argument of type string'],
    ['ts(2304)', 'TS2345: Argument of type string'],
    ['signal 15', 'Killed by signal 9'],
  ] as const)
    expect(isAnother(query, title), query).toBe(true)
})

test('a card that names the asked code, or no code of its kind, is not', () => {
  for (const [query, title, body = ''] of [
    ['exit code 137', 'Container exits with code 137'],
    ['HTTP 504', 'HTTP 502, 503 and 504 behind the proxy'],
    ['http 504', 'HTTP 503 during deploys', 'The same helps against 504.'],
    ['worker exit code 255', 'The worker ends with HTTP 503'],
    ['proxy exit status 139', 'status 503 of the proxy'],
    ['sha512 checksum', 'SHA256 checksum differs'],
    ['python 2.7', 'Python 3.12 removes distutils'],
    ['port 3000', 'Port 8080 is in use'],
    ['node 18', 'Node 20 upgrade'],
    ['RFC 9110', 'RFC 2047 in subjects'],
    ['container is killed', 'Container exits with code 137'],
    [`GET /a HTTP/1.1 200\nkilled`, 'HTTP 503 during deploys'],
  ] as const)
    expect(isAnother(query, title, body), query).toBe(false)
})

test('codes in other texts than title and symptom are mentioned in passing', () => {
  expect(isAnother('API HTTP 429', 'Too many requests to the API', 'It should answer HTTP 200.')).toBe(false)
})

test('where nothing but a code is asked, a card without its number is about another thing', () => {
  for (const query of ['exit code 255', 'HTTP 418', 'error TS1005', 'failed with error: 1205'])
    expect(isAnother(query, 'Command failed with a nonzero exit code: error in the HTTP client'), query).toBe(
      true,
    )
  expect(isAnother('error 2345', 'TS2345: Argument of type string')).toBe(false)
})

test('a code in two words is nothing but a code; a port, a size, a version and a year are not', () => {
  const title =
    'Migrating a TS library: E notation, ORA client, C library and a port, RSA key or VS version in use'
  for (const query of [
    'TS 2345',
    'ts(2345)',
    'error TS 2345',
    'E 1234',
    'ORA 00942',
    'lnk 2019',
    'error c 2065',
  ])
    expect(isAnother(query, title), query).toBe(true)
  for (const query of [
    'port 3000',
    'RSA 4096',
    'VS 2022',
    'v 1234',
    'chmod 0755',
    'uid 1000',
    'TS 2345 library',
  ])
    expect(isAnother(query, title), query).toBe(false)
  expect(isAnother('TS 2345', 'TS2345: Argument of type string')).toBe(false)
  expect(isAnother('ora 00942', 'ORA-00942: table or view does not exist')).toBe(false)
})
