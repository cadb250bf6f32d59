const LINE_END = new Uint8Array([0x0a])

/**
 * Takes the chunks of a stream and returns the lines that each completes. Only "\n" ends a line: JSON may hold U+2028 and
 * U+2029 as they are, and newer versions of `readline` split there too.
 */
export function lineSplitter(): (chunk: Uint8Array) => string[] {
  const decoder = new TextDecoder()
  let begun = ''
  return (chunk) => {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    const lines = [begun + first, ...others]
    begun = lines.pop() ?? ''
    return lines
  }
}

/** The lines of a stream. The last one may end with the stream; after a line end it is empty. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const split = lineSplitter()
  for await (const chunk of stream) yield* split(chunk)
  yield* split(LINE_END)
}
