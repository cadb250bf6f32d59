import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { piecesOf, queryTerms, termsOf, tokens } from './analyse.ts'
import { fold } from './fold.ts'

describe('identifiers', () => {
  test('camelCase and snake_case of the same name share every term, the whole name included', () => {
    expect(termsOf('getUserById')).toEqual(['get', 'user', 'by', 'id', 'getuserbyid'])
    expect(termsOf('get_user_by_id')).toEqual(termsOf('getUserById'))
  })

  test.each([
    'qwJxbQciWi'.repeat(500),
    'aGVsbG8gd29ybGQ5c0dVbWVu',
    'QmFzZTY0IGlzIG5vdCBh',
    'AKx9Zq31Pw0Lm7Tr',
    `getUserById${'AndThen'.repeat(50)}`,
  ])('encoded data and what is too long for a name stand for themselves: %s', (token) => {
    expect(termsOf(token)).toEqual([token.toLowerCase().slice(0, 64)])
  })

  test.each([
    '4f2a9c1b-77d0-4e55-9b3e-0c9d8e7f6a5b',
    'deadbeef1ed 0x8007000es 7ing',
    '3f786850e387550fdab836ed7e6dc881de23001b',
    'e3b0c44298fc1c149afbf4c8996fb924s',
  ])('ids, hashes and hex numbers are kept as they are: %s', (text) => {
    expect(termsOf(text)).toEqual(expect.arrayContaining(text.split(/[\s-]/)))
  })

  test('a long name is still read by its parts', () => {
    expect(termsOf('shouldReturnNotFoundWhenUserDoesNotExistAnyMore')).toContain('found')
    expect(termsOf('XMLHttpRequestEventTargetId2Map')).toContain('target')
    expect(termsOf('AWS_S3_ACCESS_KEY_ID_V2_EU_WEST_1')).toContain('access')
  })

  test('the name of a product is one word, alone and in a longer name', () => {
    expect(termsOf('JavaScript iOS jQuery LaTeX')).toEqual(['javascript', 'ios', 'jquery', 'latex'])
    expect(termsOf('javascript ios')).toEqual(['javascript', 'ios'])
    expect(termsOf('gitHubToken')).toEqual(['github', 'token', 'githubtoken'])
    expect(termsOf('java_script')).toEqual(['java', 'script', 'javascript'])
  })

  test('several of a product are the same word as one', () => {
    expect(termsOf('iphones snowflakes')).toEqual(['iphone', 'snowflake'])
    expect(termsOf('iPhones')).toContain('iphone')
    expect(termsOf('io')).toEqual(['io'])
  })

  test('a name as a whole is the same word in capitals and without', () => {
    expect(termsOf('localStorage').at(-1)).toBe(termsOf('localstorage')[0])
  })

  test('sequences of capitals are one part', () => {
    expect(termsOf('XMLHttpRequest')).toEqual(['xml', 'http', 'request', 'xmlhttprequest'])
    expect(termsOf('parseJSON')).toEqual(['pars', 'json', 'parsejson'])
  })

  test('error codes, hex numbers and languages with signs in their names stay whole', () => {
    expect(termsOf('TS2345 0x80070005 C++ C# ECONNREFUSED')).toEqual([
      'ts2345',
      '0x80070005',
      'c++',
      'c#',
      'econnrefus',
    ])
  })

  test('a version is found by each of its prefixes, a numbered name by its name', () => {
    expect(termsOf('3.11.2')).toEqual(['3', '3.11', '3.11.2'])
    expect(termsOf('python3')).toEqual(['python3', 'python'])
  })
})

describe('languages', () => {
  test('word forms share a stem', () => {
    expect(termsOf('connections')).toEqual(termsOf('connected'))
    expect(termsOf('подключения')).toEqual(termsOf('подключение'))
  })

  test('scripts without spaces become pairs of characters, each with its position', () => {
    const text = 'Pythonで入門'
    expect(tokens(text).map((t) => [t.terms[0], text.slice(t.start, t.end)])).toEqual([
      ['python', 'Python'],
      ['で入', 'で入'],
      ['入門', '入門'],
    ])
  })

  test('width, accents and vowel marks make no difference', () => {
    expect(fold('Ｃａｆé')).toBe('cafe')
    expect(fold('مَرْحَبًا')).toBe('مرحبا')
    expect(fold('が')).toBe('が')
    expect(termsOf('ﾃﾞｰﾀﾍﾞｰｽ')).toEqual(termsOf('データベース'))
    expect(fold('STRAẞE Ærø Łódź Œuvre')).toBe('strasseaerolodzoeuvre')
  })
})

test('a word is the same with the signs that say where it may be divided, in its place', () => {
  const text = 'the data\u00adbase\u00ad is full, get\u200bUserById'
  expect(termsOf(text)).toEqual(termsOf('the database is full, getUserById'))
  expect(tokens(text).map(({ start, end }) => text.slice(start, end))).toContain('data\u00adbase')
})

describe('queries', () => {
  test('stop words go, unless the query has nothing else', () => {
    expect(queryTerms('how to prevent a file from being modified')).toEqual(['prevent', 'file', 'modifi'])
    expect(queryTerms('to be or not to be')).toEqual(['to', 'be', 'or', 'not'])
  })

  test('a repeated word counts once', () => {
    expect(queryTerms('timeout timeouts TIMEOUT')).toEqual(['timeout'])
  })

  test('pairs of characters outside the first plane have their own positions', () => {
    const positions = tokens('see \u{20000}\u{20001}a\u4e00\u{20002}\u4e01').map(({ start, end }) => [
      start,
      end,
    ])
    expect(positions).toEqual([
      [0, 3],
      [4, 8],
      [8, 9],
      [9, 12],
      [10, 13],
    ])
  })

  test('any string is plain text: terms carry no control or query signs, positions lie inside the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        let from = 0
        for (const token of tokens(text)) {
          expect(token.start).toBeGreaterThanOrEqual(from)
          expect(token.end).toBeLessThanOrEqual(text.length)
          expect(token.terms.length).toBeGreaterThan(0)
          for (const term of token.terms) expect(term).not.toMatch(/["'*():%\s\p{Cc}]/u)
          from = token.start
        }
      }),
    )
  })

  test('a text finds itself: its query terms are among its terms', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const indexed = new Set(termsOf(text))
        for (const term of queryTerms(text)) expect(indexed.has(term)).toBe(true)
      }),
    )
  })

  test('a hundred thousand characters are read in one go', () => {
    expect(tokens('a'.repeat(100_000))).toHaveLength(1)
    expect(queryTerms('1.'.repeat(50_000)).length).toBeGreaterThan(0)
    expect(queryTerms('aB'.repeat(50_000)).length).toBeGreaterThan(0)
  })
})

test('the pieces of a text have its terms together, whatever its script', () => {
  const word = fc.constantFrom(
    'getUserById',
    'v3.11.2',
    'C++',
    'naïve',
    'база',
    '漢字',
    'かな',
    'ガ',
    '한국어',
    'ภาษาไทย',
    '🚀',
    'a\u00adb',
    'x'.repeat(30),
  )
  const gap = fc.constantFrom(' ', '', '\n', '.', '#', ', ', '/')
  const text = fc.array(fc.tuple(word, gap), { maxLength: 60 }).map((parts) => parts.flat().join(''))
  fc.assert(
    fc.property(text, (text) => {
      const together = [...piecesOf(text, 8)].flatMap(({ piece }) => termsOf(piece))
      expect(together).toEqual(termsOf(text))
    }),
  )
})

test('the pieces of a long text are short, also where nothing separates its words', () => {
  for (const text of [
    'a plain sentence '.repeat(20_000),
    '漢字仮名'.repeat(50_000),
    'ภาษาไทยง่าย'.repeat(20_000),
  ]) {
    const pieces = [...piecesOf(text)]
    expect(Math.max(...pieces.map(({ piece }) => piece.length))).toBeLessThan(20_000)
    expect(pieces.at(-1)?.from).toBeGreaterThan(text.length - 20_000)
  }
})
