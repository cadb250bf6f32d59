import { describe, expect, test } from 'vitest'
import { termsOf } from './analyse.ts'
import { readQuery } from './query.ts'

const termsIn = (query: string) => readQuery(query).map(({ term }) => term)

describe('the words of a query', () => {
  test('a word that is repeated counts its times', () => {
    expect(readQuery('timeout of the pool, timeouts')).toMatchObject([
      { typed: 'timeout', term: 'timeout', times: 2 },
      { typed: 'pool', term: 'pool', times: 1 },
    ])
  })

  test('a name is one word with parts; its parts are not separate words', () => {
    expect(readQuery('NoSuchMethodError')).toEqual([
      {
        typed: 'nosuchmethoderror',
        term: 'nosuchmethoderror',
        parts: ['no', 'such', 'method', 'error'],
        spoken: 'no such method error',
        times: 1,
        otherTerms: ['nosuchmethod'],
      },
    ])
  })

  test('the name of an error also asks for itself without its ending, if that leaves a name', () => {
    const otherTerms = (query: string) => readQuery(query).flatMap(({ otherTerms }) => otherTerms ?? [])
    expect(otherTerms('UnhandledPromiseRejectionWarning')).toEqual(termsOf('unhandledpromiserejection'))
    expect(otherTerms('java.lang.ClassNotFoundException')).toEqual(['classnotfound'])
    for (const query of ['TypeError', 'IOException', 'DeprecationWarning', 'throwErrorLater', 'getUserById'])
      expect(otherTerms(query), query).toEqual([])
  })

  test('what stands before a name of several words says only where it is from', () => {
    const qualifiersIn = (query: string) =>
      readQuery(query).flatMap(({ typed, isQualifier }) => (isQualifier ? [typed] : []))
    expect(qualifiersIn('sqlalchemy.exc.OperationalError: database')).toEqual(['sqlalchemy', 'exc'])
    expect(qualifiersIn("an instance of 'std::bad_alloc'")).toEqual(['std'])
    expect(qualifiersIn('Illuminate\\Encryption\\MissingAppKey')).toEqual(['illuminate', 'encryption'])
    expect(qualifiersIn('java heap, java.lang.OutOfMemoryError')).toEqual(['lang'])
    expect(qualifiersIn('java.lang.OutOfMemoryError in java')).toEqual(['lang'])
    for (const query of [
      'package.json in example.com',
      'tokio::spawn',
      'a sentence. TypeError follows',
      '3.11.2',
    ])
      expect(qualifiersIn(query), query).toEqual([])
  })

  test('a version asks for itself and its branch, not for its first digit', () => {
    expect(termsIn('node 20.11.1')).toEqual(['node', '20.11', '20.11.1'])
    expect(termsIn('python3')).toEqual(['python3', 'python'])
  })

  test('a code is the same in one word and in two', () => {
    for (const query of ['TS 2345', 'ts-2345', 'ts(2345)'])
      expect(readQuery(query)).toMatchObject([
        { term: 'ts', otherTerms: ['ts2345'] },
        { term: '2345', otherTerms: ['ts2345'] },
      ])
    expect(readQuery('TS2345')).toMatchObject([{ term: 'ts2345', parts: ['ts', '2345'], spoken: 'ts 2345' }])
    expect(readQuery('ORA12154')).toMatchObject([
      { term: 'ora12154', parts: ['ora', '12154'] },
      { term: 'ora', parts: [] },
    ])
    for (const query of ['in 2031', 'node 18', 'workspace 2345', 'TS: 2345'])
      expect(
        readQuery(query).some(({ otherTerms }) => otherTerms),
        query,
      ).toBe(false)
  })

  test('the name of a product is the same in one word and in two', () => {
    for (const query of ['macOS', 'macos'])
      expect(readQuery(query)).toMatchObject([{ term: 'macos', parts: ['mac', 'os'], spoken: 'mac os' }])
    for (const query of ['mac os', 'Mac-OS'])
      expect(readQuery(query)).toMatchObject([
        { term: 'mac', otherTerms: ['macos'] },
        { term: 'os', otherTerms: ['macos'] },
      ])
    expect(readQuery('mac, os').some(({ otherTerms }) => otherTerms)).toBe(false)
  })

  test('a digit or two alone say nothing', () => {
    expect(readQuery("' OR 1=1 --")).toMatchObject([{ term: '1', isStopWord: true }])
    expect(readQuery('node 18').some(({ isStopWord }) => isStopWord)).toBe(false)
  })

  test('a pasted log is read without its noise, a typed line as it is', () => {
    const log =
      '2031-04-10T00:12:20Z [4711] 0x7ffd3c2a10f0\nPool exhausted\n    at 0x7ffd3c2a10f1 (node:internal/x:1:2)'
    expect(termsIn(log)).toEqual(['pool', 'exhaust'])
    expect(termsIn('0x7ffd3c2a10f0')).toEqual(['0x7ffd3c2a10f0'])
  })

  test('of a log that says what failed, those lines count, and lines that somebody wrote around it', () => {
    const log = [
      'The checkout is stuck:',
      '2031-04-10 00:12:20 INFO scheduler heartbeat',
      '2031-04-10 00:12:21 ERROR Connection refused by broker',
      '    at runner (/srv/app/lib/pipeline.js:12:3)',
      '2031-04-10 00:12:22 "GET /metrics HTTP/1.1" 200 757 34ms',
    ].join('\n')
    expect(termsIn(log).sort()).toEqual(['broker', 'checkout', 'connect', 'error', 'refus', 'stuck'])
    expect(termsIn(log.replace('ERROR Connection refused', 'INFO Connection opened'))).toContain('heartbeat')
  })

  const heartbeats = Array.from(
    { length: 250 },
    (_, i) =>
      `2031-04-10 00:12:20 INFO scheduler heartbeat number${i} of the worker, and all is as it was before`,
  ).join('\n')

  test('of a log that says what is wrong, but names no error, those lines count', () => {
    const log = `${heartbeats}\ndial unix /var/run/broker.sock: connect: permission denied`
    expect(termsIn(log).sort()).toEqual([
      'broker',
      'connect',
      'deni',
      'dial',
      'permiss',
      'run',
      'sock',
      'unix',
      'var',
    ])
    const written = '2031-04-10 the invoice was empty\nand it is not in the list'
    expect(termsIn(written)).toContain('invoic')
    const fine = '2031-04-10 00:12:20 INFO scheduler started\n2031-04-10 00:12:21 INFO listening'
    expect(termsIn(fine)).toContain('schedul')
  })

  test('what failed is found in the middle of a long log, with times and without', () => {
    const cause = 'fatal: refusing to merge unrelated histories'
    const log = `${heartbeats}\n${cause}\n${heartbeats}`
    expect(log.length).toBeGreaterThan(40_000)
    expect(termsIn(log).sort()).toEqual(['fatal', 'histori', 'merg', 'refus', 'unrel'])
    const untimed = log.replaceAll('2031-04-10 00:12:20 INFO ', '')
    expect(termsIn(untimed).slice(0, 5).sort()).toEqual(['fatal', 'histori', 'merg', 'refus', 'unrel'])
  })

  test('the code of an error stays, an address goes', () => {
    const log = 'HRESULT 0x80070005 at 0x7ffd3c2a10f0\nstop 0x0000007B'
    expect(termsIn(log)).toEqual(['hresult', '0x80070005', 'stop', '0x0000007b'])
  })

  test('a text that is noise alone is asked as it is', () => {
    expect(termsIn('0x7ffd3c2a10f0\n0x7ffd3c2a10f1')).toHaveLength(2)
  })

  test('of a very long text the beginning and the end are read', () => {
    const words = termsIn(`alpha\n${'filler line of words\n'.repeat(3000)}omega`)
    expect(words).toContain('alpha')
    expect(words).toContain('omega')
  })
})
