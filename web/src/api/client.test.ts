import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import type { RouteOf } from '#server/core/capability.ts'
import type { publishCard as PublishCard } from '#server/features/cards/publish.ts'
import type { getCard as GetCard, listCases as ListCases } from '#server/features/cards/read.ts'
import { ApiError, call, NetworkError } from './client.ts'

describe('a call is checked against its capability when it is compiled', () => {
  test('only a route of the capability is accepted', () => {
    expectTypeOf<RouteOf<typeof ListCases>>().toEqualTypeOf<'GET /api/v1/cases'>()
    expectTypeOf<'POST /api/v1/cases'>().not.toExtend<RouteOf<typeof ListCases>>()
  })

  test('a path that the input cannot fill is not accepted', () => {
    expectTypeOf<RouteOf<typeof GetCard>>().toEqualTypeOf<'GET /api/v1/cards/{card_id}'>()
  })

  test('fields that belong to the query string must be named', () => {
    expectTypeOf(call<typeof PublishCard>)
      .parameter(1)
      .toEqualTypeOf<{
        query: readonly ['target_workspace_id', 'licence']
      }>()
    expectTypeOf(call<typeof GetCard>).parameters.toEqualTypeOf<[spec: 'GET /api/v1/cards/{card_id}']>()
  })
})

describe('a call', () => {
  afterEach(() => vi.unstubAllGlobals())

  const answering = (status: number, body: unknown) => {
    const seen: { address: string; init: RequestInit }[] = []
    vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
      seen.push({ address, init })
      return Response.json(body, { status, headers: { 'x-request-id': 'r1', 'retry-after': '7' } })
    })
    return seen
  }

  test('puts the input into path, query string and body', async () => {
    const seen = answering(200, {})
    await call<typeof PublishCard>('POST /api/v1/cards/{card_id}/publish', {
      query: ['target_workspace_id', 'licence'],
    })({ card_id: 'a/b', target_workspace_id: 'w 1' })
    expect(seen[0]?.address).toBe('/api/v1/cards/a%2Fb/publish?target_workspace_id=w+1')
    expect(seen[0]?.init).toMatchObject({ method: 'POST', body: '{}' })
  })

  test('turns a refusal into a sentence, a code and the message of a field', async () => {
    answering(422, { detail: [{ type: 'missing', loc: ['query', 'page'], msg: 'Field required' }] })
    const error = await call<typeof ListCases>('GET /api/v1/cases')().catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 422, code: 'invalid_input', requestId: 'r1', retryAfter: 7 })
    expect((error as ApiError).message).toBe('page: Field required.')
    expect((error as ApiError).field('page')).toBe('Field required')
  })

  test('takes the place where a field was sent for no field of that name', () => {
    const detail = [{ type: 'string_too_long', loc: ['body', 'tags', 4], msg: 'Too long' }]
    const error = new ApiError(422, { detail }, new Headers())
    expect([error.field('tags'), error.field('body')]).toEqual(['Too long', undefined])
  })

  test('says that the server cannot be reached', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')))
    await expect(call<typeof ListCases>('GET /api/v1/cases')()).rejects.toBeInstanceOf(NetworkError)
  })
})
