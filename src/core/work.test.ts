import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { doAll, type Pieces } from '../shared/pieces.ts'
import { makeYielder, Work } from './work.ts'

/** Works for so long, as an analyser does. */
function busy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

function* pieces(count: number, ms: number): Pieces<number> {
  for (let i = 1; i < count; i++) {
    busy(ms)
    yield
  }
  return count
}

/** How many iterations of the event loop pass until the work is done. */
async function iterationsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  let count = 0
  for (; !isDone; count++) await setImmediate()
  return count
}

test('a yielder resolves at once while its slice lasts, and then lets others go on', async () => {
  const pause = makeYielder(20)
  expect(await iterationsDuring(pause())).toBeLessThanOrEqual(1)
  let isLater = false
  void setImmediate().then(() => {
    isLater = true
  })
  busy(25)
  await pause()
  expect(isLater).toBe(true)
})

test('long work is done in pieces, with others in between', async () => {
  const work = new Work()
  expect(await iterationsDuring(work.inPieces(pieces(20, 12)))).toBeGreaterThanOrEqual(15)
  expect(doAll(pieces(3, 0))).toBe(3)
})

test('a text is analysed once in a call, and what that costs is charged', async () => {
  let charged = 0
  const work = new Work({
    charge: (ms) => {
      charged += ms
    },
    owe: () => {},
    takeTurn: async () => () => {},
  })
  let analysed = 0
  const analyse = (text: string) => {
    analysed++
    return pieces(text.length, 20)
  }
  for (let i = 0; i < 3; i++) expect(await work.about('length', 'abcd', analyse)).toBe(4)
  expect(analysed).toBe(1)
  expect(await work.about('length', 'ab', analyse)).toBe(2)
  expect(await work.about('other', 'ab', analyse)).toBe(2)
  expect(analysed).toBe(3)
  expect(charged).toBeGreaterThan(0)
})

test('only long work takes a turn, only where it may wait, and the turn ends with it', async () => {
  const said: string[] = []
  const meter = {
    charge: () => {},
    owe: () => {},
    takeTurn: async () => {
      said.push('begin')
      return () => void said.push('end')
    },
  }
  await new Work(meter).inPieces(pieces(6, 20))
  await new Work(meter).inTurn(async () => {})
  expect(said).toEqual([])
  const work = new Work(meter)
  await expect(
    work.inTurn(async () => {
      await work.inPieces(pieces(6, 20))
      throw new Error('refused')
    }),
  ).rejects.toThrow('refused')
  expect(said).toEqual(['begin', 'end'])
})
