/** The data of each event in an event stream. */
export async function* eventsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = dataOf(block)
      if (data) yield data
    }
  }
  // The last event may end with the stream instead of an empty line.
  const data = dataOf(rest)
  if (data) yield data
}

const dataOf = (block: string): string =>
  block
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? line.slice(5).trimStart() : []))
    .join('\n')
