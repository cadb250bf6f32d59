/** Random numbers that can be had again from their seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Random = ReturnType<typeof randomFrom>

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }
  return value
}

/** What people, programs and attackers send where something else was meant. */
export const HOSTILE: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\ufeffx',
  '\u202egnp.exe',
  '👩‍👩‍👧‍👦'.repeat(50),
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢',
  'İıſK',
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  '1e400',
  '0x10',
  'NaN',
  'Infinity',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '00000000-0000-7000-8000-000000000001',
  '2026-13-45T99:99:99Z',
  "' or 1=1 --",
  '"; drop table users; --',
  "\\'; select pg_sleep(1); --",
  '%_%',
  '*',
  '"',
  '" OR "" NEAR(a b, 1)',
  'AND OR NOT',
  '^a:b*',
  '(((((((',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data',
  'javascript:alert(1)',
  'a@b\r\nBcc: x@example.com',
  '\r\n\r\nHTTP/1.1 200 OK',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '__user__/preferences',
  '-',
  '.',
  'a'.repeat(300),
  'a'.repeat(6_000),
  `${'a'.repeat(30_000)}!`,
  `${'a@'.repeat(5_000)}`,
  `${' '.repeat(20_000)}x`,
  '/'.repeat(3_000),
  '\\'.repeat(3_000),
  '{"'.repeat(2_000),
  '-----BEGIN '.repeat(2_000),
  'eyJ'.repeat(5_000),
  [],
  {},
  [[]],
  [null],
  { __proto__: null, constructor: { prototype: { isAdmin: true } } },
  { toString: 1, valueOf: 2, length: -1 },
  Array.from({ length: 2_000 }, (_, i) => i),
  Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i])),
  nested(20),
  nested(90),
]

/** Bodies that are broken as text, made from one that is not. */
export const BROKEN_BODIES: readonly ((json: string) => string)[] = [
  (json) => json.slice(0, json.length >> 1),
  (json) => `${json}${json}`,
  (json) => json.replace('{', '{"a":1,"a":2,"title":"x","title":null,'),
  (json) => json.replace('{', '{"__proto__":{"isAdmin":true},'),
  (json) => json.replaceAll('"', "'"),
  () => '[]',
  () => 'null',
  () => '"text"',
  () => '1e999',
  () => '[1,]',
  () => '\ufeff{}',
  () => '\u0000',
  () => '{"a":"\\ud800\\u0000"}',
  () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  () => `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`,
  (json) => json.replace('{', `{"big":${'9'.repeat(400)},`),
]

export const ODD_HEADERS: readonly Record<string, string>[] = [
  { 'x-request-id': 'a'.repeat(500) },
  { 'x-request-id': '"><script>' },
  { 'if-match': '"not a version"' },
  { 'if-match': '*' },
  { 'idempotency-key': 'k'.repeat(300) },
  { 'idempotency-key': 'same key for everything' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-7' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data' },
  { 'content-encoding': 'gzip' },
  { authorization: 'Basic Og==' },
  { authorization: `Bearer ${'x'.repeat(5_000)}` },
  { 'x-api-key': "' or 1=1 --" },
  { cookie: 'kv_session=a; kv_session=b; ='.repeat(20) },
  { origin: 'null' },
  { origin: 'https://attacker.example' },
  { 'x-forwarded-for': '127.0.0.1, evil' },
  { 'x-http-method-override': 'DELETE' },
  { range: 'bytes=0-1,2-3,-1' },
  { accept: 'image/webp' },
  { 'accept-encoding': 'gzip;q=nan' },
  { expect: 'something' },
]
