import {
  broken,
  type Patience,
  type Picture,
  patience,
  Reader,
  requireModestSize,
  trailing,
} from './image-format.ts'

const RIFF = Buffer.from('RIFF')
const WEBP = Buffer.from('WEBP')

export const isWebp = (file: Buffer) => file.subarray(0, 4).equals(RIFF) && file.subarray(8, 12).equals(WEBP)

/** The chunks that draw the picture. ICCP, EXIF, XMP and unknown chunks are dropped. */
const KEPT = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF'])
const IN_FRAME = new Set(['VP8 ', 'VP8L', 'ALPH'])
/** In the flags of VP8X: that there is an ICC profile, EXIF or XMP. */
const SAYS_METADATA = 0x20 | 0x08 | 0x04
const HAS_PIXELS = new Set(['VP8 ', 'VP8L', 'ANMF'])
const FRAME_HEAD = 16

type Chunk = { name: string; data: Buffer }

/** A chunk is its name, its length, its data, and a byte more where the length is odd. */
function* chunksOf(bytes: Buffer, shared: Patience): Generator<Chunk> {
  const reader = new Reader(bytes, 0, shared)
  while (reader.left > 0) {
    const name = reader.take(4).toString('latin1')
    const length = reader.take(4).readUInt32LE()
    const data = reader.take(length)
    reader.take(length % 2)
    yield { name, data }
  }
}

function written({ name, data }: Chunk): Buffer {
  const head = Buffer.alloc(8, name, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

/** A frame of an animation holds chunks itself. */
function cleanFrame(data: Buffer, shared: Patience): Buffer {
  if (data.length < FRAME_HEAD) throw broken()
  const inside = [...chunksOf(data.subarray(FRAME_HEAD), shared)].filter(({ name }) => IN_FRAME.has(name))
  return Buffer.concat([data.subarray(0, FRAME_HEAD), ...inside.map(written)])
}

function cleanChunk({ name, data }: Chunk, shared: Patience): Chunk {
  if (name === 'ANMF') return { name, data: cleanFrame(data, shared) }
  if (name !== 'VP8X') return { name, data }
  const flags = Buffer.from(data)
  flags[0] = (flags[0] as number) & ~SAYS_METADATA
  return { name, data: flags }
}

function sizeIn({ name, data }: Chunk): { width: number; height: number } {
  if (name === 'VP8X' && data.length === 10)
    return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 }
  if (name === 'VP8 ' && data.length >= 10 && data.readUIntBE(3, 3) === 0x9d012a)
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
  if (name === 'VP8L' && data.length >= 5 && data[0] === 0x2f) {
    const bits = data.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  throw broken()
}

export function readWebp(file: Buffer): Picture {
  const stated = file.readUInt32LE(4) + 8
  if (stated > file.length) throw broken()
  if (stated < file.length) throw trailing()
  const shared = patience()
  const chunks = [...chunksOf(file.subarray(12), shared)]
  const first = chunks[0]
  if (!first || !chunks.some(({ name }) => HAS_PIXELS.has(name))) throw broken()
  const size = sizeIn(first)
  requireModestSize(size.width, size.height)
  const body = Buffer.concat(
    chunks.filter(({ name }) => KEPT.has(name)).map((chunk) => written(cleanChunk(chunk, shared))),
  )
  const head = Buffer.concat([RIFF, Buffer.alloc(4), WEBP])
  head.writeUInt32LE(body.length + 4, 4)
  return { bytes: Buffer.concat([head, body]), mediaType: 'image/webp', ...size }
}
