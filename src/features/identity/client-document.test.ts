import { expect, test, vi } from 'vitest'
import { DocumentAway, type DocumentNet, fetchClientDocument, lookUp } from './oauth-clients.ts'

const ID = 'https://client.example.com/client.json'

test('a name server that does not answer holds nobody longer than five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const net: DocumentNet = {
      lookup: () => new Promise(() => {}),
      allowed: () => true,
      request: () => {
        throw new Error('There is no address to ask.')
      },
    }
    const ended = vi.fn()
    fetchClientDocument(ID, net).catch(ended)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ended).toHaveBeenCalledWith(expect.any(DocumentAway))
  } finally {
    vi.useRealTimers()
  }
})

test('the addresses of a name are those of both families that answer; an address is its own', async () => {
  const fails = () => Promise.reject(new Error('queryAaaa ENODATA'))
  const v4 = { resolve4: async () => ['192.0.2.1', '192.0.2.2'] }
  expect(await lookUp('a.example', { ...v4, resolve6: async () => ['2001:db8::1'] })).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '192.0.2.2', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
  expect(await lookUp('a.example', { ...v4, resolve6: fails })).toHaveLength(2)
  await expect(lookUp('a.example', { resolve4: fails, resolve6: fails })).rejects.toThrow('ENODATA')
  const never = { resolve4: fails, resolve6: fails }
  expect(await lookUp('127.0.0.1', never)).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(await lookUp('::1', never)).toEqual([{ address: '::1', family: 6 }])
})
