/**
 * The `data` of each Server-Sent Event in a byte stream, as the HTML standard reads them: lines end in LF, CRLF or CR,
 * several data lines of one event are joined by a line feed, comments (heartbeats) and other fields carry no data.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const bytes of body) {
    onBytes()
    rest += decoder.decode(bytes, { stream: true })
    if (rest.length > MAX_LINE) throw new Error('A line of the event stream is too long.')
    const { lines, tail } = splitLines(rest)
    rest = tail
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n')
        data = []
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line[5] === ' ' ? 6 : 5))
      }
    }
  }
}

const MAX_LINE = 256 * 1024

function splitLines(text: string): { lines: string[]; tail: string } {
  // A CR at the very end may be the first half of a CRLF: it waits for the next bytes.
  const held = text.endsWith('\r') ? 1 : 0
  const lines = text.slice(0, text.length - held).split(/\r\n|\n|\r/)
  const tail = (lines.pop() ?? '') + text.slice(text.length - held)
  return { lines, tail }
}
