import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { isReachable, NetworkError } from '../lib/reachable.ts'
import { watchSession, whenSessionOver } from '../lib/session-user.ts'
import { FormError } from '../ui/states.tsx'
import { ApiError, call, request, SessionOver } from './client.ts'
import type { QueryFields, RouteInput, RouteName } from './routes.ts'

describe('a call is checked against its capability when it is compiled', () => {
  test('only a route of a capability is accepted', () => {
    expectTypeOf<'GET /api/v1/cases'>().toExtend<RouteName>()
    expectTypeOf<'PUT /api/v1/cases'>().not.toExtend<RouteName>()
  })

  test('a path that the input cannot fill is not accepted', () => {
    expectTypeOf<'GET /api/v1/cards/{card_id}'>().toExtend<RouteName>()
    expectTypeOf<'GET /api/v1/cases/{case_id}'>().not.toExtend<RouteName>()
  })

  test('fields that belong to the query string must be named', () => {
    expectTypeOf<QueryFields>().toEqualTypeOf<{
      'POST /api/v1/cards/{card_id}/publish': readonly ['target_workspace_id', 'licence']
    }>()
  })

  test('input is left out only where the route needs none', () => {
    expectTypeOf(call<'GET /api/v1/cases'>).toBeCallableWith('GET /api/v1/cases')
    expectTypeOf(call<'GET /api/v1/cards/{card_id}'>)
      .parameter(1)
      .toEqualTypeOf<RouteInput<'GET /api/v1/cards/{card_id}'>>()
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
    await call('POST /api/v1/cards/{card_id}/publish', { card_id: 'a/b', target_workspace_id: 'w 1' })
    expect(seen[0]?.address).toBe('/api/v1/cards/a%2Fb/publish?target_workspace_id=w+1')
    expect(seen[0]?.init).toMatchObject({ method: 'POST', body: '{}' })
  })

  test('turns a refusal into a sentence, a code and the message of a field', async () => {
    answering(422, { detail: [{ type: 'missing', loc: ['query', 'page'], msg: 'Field required' }] })
    const error = await call('GET /api/v1/cases').catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 422, code: 'invalid_input', requestId: 'r1', retryAfter: 7 })
    expect((error as ApiError).message).toBe('page: Field required.')
    expect((error as ApiError).field('page')).toBe('Field required')
  })

  test('tells once that the session of the page is over, and a form says nothing about it', async () => {
    let user: string | undefined
    const over = vi.fn(() => {
      user = undefined
    })
    watchSession(() => user)
    whenSessionOver(over)
    const refusals = (code: string, addresses: string[]) => {
      answering(401, { code, detail: 'Send an API key.' })
      const asked = addresses.map((address) => request(address, {}).catch((error: unknown) => error))
      return Promise.all(asked) as Promise<ApiError[]>
    }
    const says = (error: unknown) => renderToStaticMarkup(FormError({ error })).includes('API key')
    // A stranger has no session that could end.
    for (const error of await refusals('not_authenticated', ['/api/v1/reports']))
      expect(says(error)).toBe(true)
    user = 'u1'
    // A wrong password, and a link for another account, say nothing about the session.
    const others = [
      ...(await refusals('invalid_credentials', ['/api/v1/auth/password'])),
      ...(await refusals('not_authenticated', ['/api/v1/auth/me', '/api/v1/auth/verify-email'])),
    ]
    expect(others.map(says)).toEqual([true, true, true])
    expect(over).not.toHaveBeenCalled()
    const ended = await refusals('not_authenticated', ['/api/v1/cards', '/api/v1/cards/c1'])
    expect(ended.every((error) => error instanceof SessionOver && !says(error))).toBe(true)
    expect(over).toHaveBeenCalledOnce()
    whenSessionOver(() => {})
  })

  test('takes the place where a field was sent for no field of that name', () => {
    const detail = [{ type: 'string_too_long', loc: ['body', 'tags', 4], msg: 'Too long' }]
    const error = new ApiError(422, { detail }, new Headers())
    expect([error.field('tags'), error.field('body')]).toEqual(['Too long', undefined])
  })

  test('says that the server cannot be reached', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')))
    await expect(call('GET /api/v1/cases')).rejects.toBeInstanceOf(NetworkError)
  })

  test.each([
    ['the sign-in page of a network', () => new Response('<html>Welcome to the train</html>')],
    [
      'an answer that breaks off',
      () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError('network error')) })),
    ],
  ])('says the same of %s', async (_, answer) => {
    vi.stubGlobal('fetch', async () => answer())
    await expect(call('GET /api/v1/cases')).rejects.toBeInstanceOf(NetworkError)
    expect(await isReachable()).toBe(false)
  })

  test('ends once an answer has begun and does not go on', async () => {
    vi.useFakeTimers()
    let status = 200
    vi.stubGlobal('fetch', async () => new Response(new ReadableStream(), { status }))
    const answer = async () => {
      const asked = call('GET /api/v1/cases').catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(45_000)
      return Promise.race([asked, 'still waiting'])
    }
    try {
      expect(await answer()).toMatchObject({ name: 'ServerTimeout' })
      status = 422
      expect(await answer()).toMatchObject({ status: 422, message: 'The server answered 422.' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('ends once the server has been silent for too long, and warns of sending twice', async () => {
    vi.useFakeTimers()
    const signals: AbortSignal[] = []
    vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    try {
      const asked = (method: string) => request('/api/v1/cards', { method }).catch((error: unknown) => error)
      const [read, written] = [asked('GET'), asked('POST')]
      await vi.advanceTimersByTimeAsync(45_000)
      expect(await read).toMatchObject({ name: 'ServerTimeout', message: 'The server does not answer.' })
      expect(signals.slice(0, 2).map(({ aborted }) => aborted)).toEqual([true, false])
      await vi.advanceTimersByTimeAsync(75_000)
      expect(await written).toMatchObject({ message: expect.stringContaining('may have arrived') })
    } finally {
      vi.useRealTimers()
    }
  })
})
