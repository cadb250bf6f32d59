import { broken, type Picture, Reader, requireModestSize, trailing } from './image-format.ts'

export const GIF_STARTS = [Buffer.from('GIF87a'), Buffer.from('GIF89a')]

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff
/** Says how often an animation repeats. */
const LOOPS = ['NETSCAPE2.0', 'ANIMEXTS1.0']

const colourBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** Blocks of up to 255 bytes, each after its length; an empty one ends them. Returns the first. */
function skipBlocks(reader: Reader): Buffer {
  let first: Buffer | undefined
  for (;;) {
    const block = reader.take(reader.byte())
    first ??= block
    if (block.length === 0) return first
  }
}

/** Drops comments, plain texts and data of programs. */
function readExtension(reader: Reader): boolean {
  const label = reader.byte()
  const first = skipBlocks(reader)
  return (
    label === GRAPHIC_CONTROL || (label === APPLICATION && LOOPS.includes(first.toString('latin1', 0, 11)))
  )
}

function readFrame(reader: Reader): void {
  const flags = reader.take(9)[8] as number
  reader.take(colourBytes(flags) + 1)
  skipBlocks(reader)
}

export function readGif(file: Buffer): Picture {
  const reader = new Reader(file, 6)
  const screen = reader.take(7)
  const size = { width: screen.readUInt16LE(0), height: screen.readUInt16LE(2) }
  requireModestSize(size.width, size.height)
  reader.take(colourBytes(screen[4] as number))
  const kept: Buffer[] = [file.subarray(0, reader.at)]
  let frames = 0
  for (;;) {
    const start = reader.at
    const kind = reader.byte()
    let isKept = true
    if (kind === IMAGE) {
      readFrame(reader)
      frames++
    } else if (kind === EXTENSION) isKept = readExtension(reader)
    else if (kind !== TRAILER) throw broken()
    if (isKept) kept.push(file.subarray(start, reader.at))
    if (kind === TRAILER) break
  }
  if (frames === 0) throw broken()
  if (reader.left > 0) throw trailing()
  return { bytes: Buffer.concat(kept), mediaType: 'image/gif', ...size }
}
