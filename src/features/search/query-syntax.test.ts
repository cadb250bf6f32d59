import { describe, expect, test } from 'vitest'
import { looserReadings, queryOf, readSyntax } from './query.ts'

const TAGS = new Set(['docker', 'two words'])
const read = (query: string) => {
  const { text, ...syntax } = readSyntax(query, (tag) => TAGS.has(tag))
  return { text: text.replace(/\s+/g, ' ').trim(), ...syntax }
}

describe('syntax is read', () => {
  test('phrases, tags, types, the title, and words to leave out', () => {
    expect(read('pool +"connection refused" tag:docker tag:"two words" type:how_to in:title -redis')).toEqual(
      {
        text: 'pool connection refused',
        phrases: ['connection refused'],
        preferred: [],
        asTyped: new Set(['connection', 'refused']),
        tags: ['docker', 'two words'],
        type: 'how_to',
        isInTitle: true,
        without: ['redis'],
      },
    )
  })

  test('quotation marks demand their words with a plus or alone, and prefer them in a question', () => {
    for (const [query, phrases, preferred] of [
      ['pods pending +"kubernets"', ['kubernets'], []],
      ['"connection refused"', ['connection refused'], []],
      ['"connection refused" “by peer” tag:docker', ['connection refused', 'by peer'], []],
      ['Golang reports "deadline exceeded" with MongoDB', [], ['deadline exceeded']],
      ['ENOENT: no such file +"package lock"', ['package lock'], []],
    ] as const) {
      const { asTyped, ...found } = read(query)
      expect(found, query).toMatchObject({ phrases, preferred })
      expect(asTyped.size > 0, query).toBe(phrases.length > 0)
    }
  })

  test('looser readings demand less, and never bring back words that were left out', () => {
    const query = '+"connection refused" tag:docker in:title -redis'
    expect(looserReadings(readSyntax(query, () => true)).map(queryOf)).toEqual([
      'connection refused tag:docker in:title -redis',
      'connection refused tag:docker in:title -redis',
      'connection refused -redis',
    ])
    expect(looserReadings(readSyntax('pool "connection refused"', () => true))).toEqual([])
  })

  test('words to leave out of what a phrase or a tag finds, also with digits and in other scripts', () => {
    for (const [query, without] of [
      ['"connection refused" -redis', ['redis']],
      ['-redis tag:docker', ['redis']],
      ['pool -x509 -เชื่อมต่อ -错误', ['x509', 'เชื่อมต่อ', '错误']],
    ] as const)
      expect(read(query), query).toMatchObject({ without })
  })

  test('filters alone: the tags are the words', () => {
    expect(read('tag:docker')).toMatchObject({ text: 'docker', tags: ['docker'] })
  })
})

describe('anything else is text', () => {
  test.each([
    'Cannot find module "express"',
    'relation "users" does not exist',
    'TypeError: Cannot read property "x" of undefined',
    'error: "connection refused" (111)',
    'git push -force origin',
    'java -version',
    'tar -xzf archive.tar.gz',
    'npm install --save -dev left-pad',
    'ls -la /var/log',
    'gcc -Wall main.c',
    'more heap by -Xmx2g',
    '-redis type:string',
    'docker pull image tag:latest',
    'type:string is not assignable',
    'in:body of the request',
    'tag: docker',
    'http://host:8080/tag:docker/x=1',
    '"unbalanced quote',
    '-f',
    '- one - two',
    'type:how_to',
    'pool "connection\nrefused"',
    'print("a" +"b" + name)',
    'const text = "one" +"two" + end',
    'x'.repeat(301),
  ])('%s', (query) => {
    const { text, phrases, preferred, tags, type, isInTitle, without } = readSyntax(query, (tag) =>
      TAGS.has(tag),
    )
    expect({ phrases, preferred, tags: tags.length, type, isInTitle, without }).toEqual({
      phrases: [],
      preferred: [],
      tags: query.includes('tag:docker') ? tags.length : 0,
      type: undefined,
      isInTitle: false,
      without: [],
    })
    if (!query.includes('"')) expect(text).toBe(query)
  })
})
