import { expect, test, vi } from 'vitest'
import { KeptWords } from './index-store.ts'

const asking = () => {
  const asked: string[] = []
  const ask = (kept: KeptWords, state: string, question: string, found: number[]) =>
    kept.found(state, question, async () => {
      asked.push(`${state} ${question}`)
      return found
    })
  return { asked, ask }
}

test('a question is asked once for each state of the vocabulary', async () => {
  const kept = new KeptWords(2 ** 20)
  const { asked, ask } = asking()
  expect(await ask(kept, '1', 'abc', [1, 2])).toEqual(Uint32Array.of(1, 2))
  expect(await ask(kept, '1', 'abc', [3])).toEqual(Uint32Array.of(1, 2))
  expect(await ask(kept, '1', 'xyz', [])).toEqual(Uint32Array.of())
  expect(await ask(kept, '1', 'xyz', [9])).toEqual(Uint32Array.of())
  expect(await ask(kept, '2', 'abc', [3])).toEqual(Uint32Array.of(3))
  expect(asked).toEqual(['1 abc', '1 xyz', '2 abc'])
})

test('what was found at one state is not kept for another that was seen meanwhile', async () => {
  const kept = new KeptWords(2 ** 20)
  const slow = Promise.withResolvers<number[]>()
  const first = kept.found('1', 'abc', () => slow.promise)
  expect(await kept.found('2', 'abc', async () => [2])).toEqual(Uint32Array.of(2))
  slow.resolve([1])
  expect(await first).toEqual(Uint32Array.of(1))
  expect(await kept.found('2', 'abc', async () => [3])).toEqual(Uint32Array.of(2))
})

test('what was found is valid for ten seconds, also where the clock of the machine is put back', async () => {
  const kept = new KeptWords(2 ** 20)
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  const wallClock = vi.spyOn(Date, 'now').mockReturnValue(3_600_000)
  try {
    expect(await kept.found('1', 'abc', async () => [1])).toEqual(Uint32Array.of(1))
    wallClock.mockReturnValue(0)
    clock.mockReturnValue(10_000)
    expect(await kept.found('1', 'abc', async () => [2])).toEqual(Uint32Array.of(1))
    clock.mockReturnValue(10_001)
    expect(await kept.found('1', 'abc', async () => [2])).toEqual(Uint32Array.of(2))
  } finally {
    clock.mockRestore()
    wallClock.mockRestore()
  }
})
