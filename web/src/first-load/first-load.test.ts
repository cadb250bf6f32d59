import { beforeEach, describe, expect, test } from 'vitest'
import { dropFirstAnswers, keepFirstAnswer, takeFirstAnswer } from './answers.ts'
import { firstRequestsOf, needsSession } from './requests.ts'

const CARD = '01890000-0000-7000-8000-000000000001'
const asked = (path: string) =>
  firstRequestsOf(new URL(path, 'http://vault.test')).map(({ address, init }) => [address, init.body])

describe('the first requests of an address', () => {
  test('the home page: the cards that changed last', () => {
    expect(asked('/')).toEqual([['/api/v1/cases?scope=personal&sort=changed&page_size=8', undefined]])
  })

  test('a search: its question, and the card that is open', () => {
    expect(asked(`/?q=pool&tags=pg%2Cnode&plan=true&card=${CARD}`)).toEqual([
      [
        '/api/v1/search/box',
        JSON.stringify({
          query: 'pool',
          tags: ['pg', 'node'],
          generate_action_card: true,
          limit: 20,
          typing: true,
        }),
      ],
      [`/api/v1/cards/${CARD}?include_evidences=true`, undefined],
    ])
    expect(asked('/?q=404')[0]?.[1]).toBe(JSON.stringify({ query: '404', limit: 20, typing: true }))
  })

  test('never the library, which costs', () => {
    expect(JSON.stringify(asked('/?q=pool&sections=library'))).not.toContain('library')
  })

  test('the page of a card: the card; other pages: nothing of their own', () => {
    expect(asked(`/cards/${CARD}`)).toEqual([[`/api/v1/cards/${CARD}?include_evidences=true`, undefined]])
    for (const path of ['/cards/new', '/cards', '/memory', '/settings']) expect(asked(path), path).toEqual([])
  })

  test('a name in the address stays a name: it never leads elsewhere', () => {
    expect(asked('/?card=..%2F..%2Fauth%2Fme')[1]?.[0]).toBe(
      '/api/v1/cards/..%2F..%2Fauth%2Fme?include_evidences=true',
    )
  })

  test('pages for everybody do not ask who is signed in', () => {
    const asks = (path: string) => needsSession(new URL(path, 'http://vault.test'))
    expect(['/', '/cards', '/sign-in', '/helpers'].every(asks)).toBe(true)
    expect(['/reset', '/verify?token=x', '/auth/google', '/help', '/invite/x'].some(asks)).toBe(false)
  })
})

describe('answers that came before the app', () => {
  const question = { address: '/api/v1/auth/me', init: {} }
  const answer = Promise.resolve(new Response('{}'))
  beforeEach(dropFirstAnswers)

  test('each is taken once, by the same request', () => {
    keepFirstAnswer(question, answer)
    expect(takeFirstAnswer({ ...question, address: '/api/v1/cases' })).toBeUndefined()
    expect(takeFirstAnswer({ ...question, init: { method: 'GET' } })).toBe(answer)
    expect(takeFirstAnswer(question)).toBeUndefined()
  })

  test('a request that may change something drops them', () => {
    keepFirstAnswer(question, answer)
    expect(
      takeFirstAnswer({ address: '/api/v1/cards', init: { method: 'POST', body: '{}' } }),
    ).toBeUndefined()
    expect(takeFirstAnswer(question)).toBeUndefined()
  })
})
