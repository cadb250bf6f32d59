import { expect, test } from 'vitest'
import { linesOf } from './http-request.ts'

async function linesIn(...chunks: Uint8Array[]): Promise<string[]> {
  const lines: string[] = []
  const stream = async function* () {
    yield* chunks
  }
  for await (const line of linesOf(stream())) lines.push(line)
  return lines
}

test('only "\\n" ends a line, wherever the chunks are cut', async () => {
  const lines = ['{"a":"x\u2028y\u2029z\u0085"}', '', 'ümläut 世界 🙂', 'without an end']
  const bytes = Buffer.from(lines.join('\n'))
  for (const size of [1, 2, 7, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    )
    expect(await linesIn(...chunks), `chunks of ${size}`).toEqual(lines)
  }
  expect(await linesIn(Buffer.from('one\n'))).toEqual(['one', ''])
})
