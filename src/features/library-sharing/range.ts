type Range = { from: number; to: number }

const ONE_RANGE = /^bytes=(\d{1,15})-(\d{0,15})$/

/** The bytes that a Range header asks for. Only one range with a start is supported; other forms get the whole, as HTTP allows. */
export function byteRange(header: string | undefined, size: number): Range | 'whole' | 'none' {
  const match = ONE_RANGE.exec(header ?? '')
  if (!match) return 'whole'
  const from = Number(match[1])
  const to = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  if (match[2] !== '' && Number(match[2]) < from) return 'whole'
  return from >= size ? 'none' : { from, to }
}
