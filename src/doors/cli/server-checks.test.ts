import { afterEach, expect, test, vi } from 'vitest'
import { certificateValidFor, checkProxy } from './doctor.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a certificate that ends soon is a warning, and its days are counted in words that fit', () => {
  const said = (days: number) => {
    const { state, detail } = certificateValidFor(days)
    return `${state}: ${detail}`
  }
  expect([0, 1, 14, 15].map(said)).toEqual([
    'warn: certificate valid for less than a day',
    'warn: certificate valid for 1 day',
    'warn: certificate valid for 14 days',
    'ok: certificate valid for 15 days',
  ])
})

test('a proxy is used by a Node that can, and only if it is told to', () => {
  for (const name of ['HTTPS_PROXY', 'NO_PROXY', 'no_proxy']) vi.stubEnv(name, '')
  vi.stubEnv('https_proxy', 'http://proxy.example:3128')
  const said = (knowsProxies: boolean) => {
    const { state, detail, advice } = checkProxy('https://vault.example', knowsProxies)
    return [state, detail, advice].join(' | ')
  }
  const ignored = 'warn | https_proxy is set, but Node ignores it'
  expect(said(true)).toBe(`${ignored} | Set NODE_USE_ENV_PROXY=1, or set NO_PROXY.`)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  expect(said(true)).toBe('ok | https_proxy is used | ')
  expect(said(false)).toBe(`${ignored} | Use Node 24 and set NODE_USE_ENV_PROXY=1, or set NO_PROXY.`)
})
