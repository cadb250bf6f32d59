import { crc32 } from 'node:zlib'
import {
  BadImage,
  broken,
  newPieceBudget,
  type Picture,
  type PieceBudget,
  Reader,
  requireModestSize,
  trailing,
} from '../../shared/image-format.ts'

const GIF_STARTS = [Buffer.from('GIF87a'), Buffer.from('GIF89a')]

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff
/** Application blocks that say how often an animation repeats. */
const LOOPS = ['NETSCAPE2.0', 'ANIMEXTS1.0']

const colourBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

function skipBlocks(reader: Reader): Buffer {
  let first: Buffer | undefined
  for (;;) {
    const block = reader.take(reader.byte())
    first ??= block
    if (block.length === 0) return first
  }
}

/** Reads an extension. Comments, plain texts and application data are dropped. */
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

function readGif(file: Buffer): Picture {
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

const EXIF = Buffer.from('Exif\0\0', 'latin1')
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12

/** Returns the orientation from 1 to 8, or undefined if the segment has none. */
function orientationIn(segment: Buffer): number | undefined {
  if (!segment.subarray(0, EXIF.length).equals(EXIF)) return undefined
  const tiff = segment.subarray(EXIF.length)
  if (tiff.length < 8) return undefined
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return undefined
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return undefined
  const entries = short(directory)
  for (let n = 0, at = directory + 2; n < entries && at + ENTRY_BYTES <= tiff.length; n++, at += ENTRY_BYTES)
    if (short(at) === ORIENTATION && short(at + 2) === SHORT) {
      const value = short(at + 8)
      return value >= 1 && value <= 8 ? value : undefined
    }
  return undefined
}

export function orientationSegment(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM', 'latin1')
  tiff.writeUInt16BE(42, 2)
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(ORIENTATION, 10)
  tiff.writeUInt16BE(SHORT, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  const head = Buffer.from([0xff, 0xe1, 0, 2 + EXIF.length + tiff.length])
  return Buffer.concat([head, EXIF, tiff])
}

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff])

const START = 0xd8
const END = 0xd9
const SCAN = 0xda
const APP0 = 0xe0
const APP1 = 0xe1
const APP14 = 0xee
const APP15 = 0xef
const COMMENT = 0xfe
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
const JFIF_LENGTH = 14
const ADOBE = Buffer.from('Adobe')

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

function isKept(marker: number, data: Buffer): boolean {
  if (marker === APP0) return data.length === JFIF_LENGTH
  if (marker === APP14) return data.length === 12 && data.subarray(0, 5).equals(ADOBE)
  return !(marker === COMMENT || (marker > APP0 && marker <= APP15))
}

/** Reads the next marker, which may have any number of fill bytes before it. */
function nextMarker(reader: Reader): number {
  if (reader.byte() !== 0xff) throw broken()
  let marker = reader.byte()
  while (marker === 0xff) marker = reader.byte()
  return marker
}

/** Returns where the coded pixels end: at the first marker that is neither an escaped byte nor a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = from; at + 1 < file.length; at++) {
    const next = file[at + 1] as number
    if (file[at] === 0xff && next !== 0 && next !== 0xff && !isRestart(next)) return at
  }
  throw broken()
}

function readJpeg(file: Buffer): Picture {
  const reader = new Reader(file, 2)
  const kept: Buffer[] = [Buffer.from([0xff, START])]
  let size: { width: number; height: number } | undefined
  let hasPixels = false
  let orientation = 1
  for (;;) {
    const marker = nextMarker(reader)
    if (marker === END) break
    if (marker === 0 || marker === START || isRestart(marker)) throw broken()
    const start = reader.at
    const length = reader.take(2).readUInt16BE()
    if (length < 2) throw broken()
    const data = reader.take(length - 2)
    if (FRAMES.has(marker)) size = readJpegFrame(data)
    if (marker === APP1) orientation = orientationIn(data) ?? orientation
    if (isKept(marker, data)) kept.push(Buffer.from([0xff, marker]), file.subarray(start, reader.at))
    if (marker !== SCAN) continue
    if (!size) throw broken()
    hasPixels = true
    const end = endOfScan(file, reader.at)
    kept.push(reader.take(end - reader.at))
  }
  if (!size || !hasPixels) throw broken()
  // Phones append a second picture for HDR screens, which is dropped. Anything else after the end is refused.
  if (reader.left > 0 && !file.subarray(reader.at, reader.at + 3).equals(JPEG_START)) throw trailing()
  kept.push(Buffer.from([0xff, END]))
  if (orientation !== 1) kept.splice(1, 0, orientationSegment(orientation))
  return { bytes: Buffer.concat(kept), mediaType: 'image/jpeg', ...size }
}

function readJpegFrame(data: Buffer): { width: number; height: number } {
  if (data.length < 6) throw broken()
  const size = { height: data.readUInt16BE(1), width: data.readUInt16BE(3) }
  requireModestSize(size.width, size.height)
  return size
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Chunks that draw the picture. All others, such as texts, times, EXIF and colour profiles, are dropped. */
const KEPT = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB cICP sBIT bKGD pHYs acTL fcTL fdAT'.split(' '))

/** Reads a PNG. A chunk is its length, its name, its data and a checksum over name and data. */
function readPng(file: Buffer): Picture {
  const reader = new Reader(file, PNG_SIGNATURE.length)
  const kept: Buffer[] = [PNG_SIGNATURE]
  let size: { width: number; height: number } | undefined
  let hasPixels = false
  for (;;) {
    const start = reader.at
    const length = reader.take(4).readUInt32BE()
    const name = reader.take(4).toString('latin1')
    const data = reader.take(length)
    if (reader.take(4).readUInt32BE() !== crc32(file.subarray(start + 4, start + 8 + length))) throw broken()
    if (!size) size = readHeader(name, data)
    else if (name === 'IHDR') throw broken()
    hasPixels ||= name === 'IDAT'
    if (KEPT.has(name)) kept.push(file.subarray(start, reader.at))
    if (name === 'IEND') break
  }
  if (reader.left > 0) throw trailing()
  if (!hasPixels) throw broken()
  return { bytes: Buffer.concat(kept), mediaType: 'image/png', ...size }
}

function readHeader(name: string, data: Buffer): { width: number; height: number } {
  if (name !== 'IHDR' || data.length !== 13) throw broken()
  const size = { width: data.readUInt32BE(0), height: data.readUInt32BE(4) }
  requireModestSize(size.width, size.height)
  return size
}

const RIFF = Buffer.from('RIFF')
const WEBP = Buffer.from('WEBP')

const isWebp = (file: Buffer) => file.subarray(0, 4).equals(RIFF) && file.subarray(8, 12).equals(WEBP)

/** Chunks that draw the picture. All others, such as ICCP, EXIF and XMP, are dropped. */
const KEPT_CHUNKS = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF'])
const IN_FRAME = new Set(['VP8 ', 'VP8L', 'ALPH'])
/** Flags of VP8X for an ICC profile, EXIF and XMP. */
const SAYS_METADATA = 0x20 | 0x08 | 0x04
const HAS_PIXELS = new Set(['VP8 ', 'VP8L', 'ANMF'])
const FRAME_HEAD = 16

type Chunk = { name: string; data: Buffer }

/** Yields chunks: a name, a length, data, and a padding byte if the length is odd. */
function* chunksOf(bytes: Buffer, shared: PieceBudget): Generator<Chunk> {
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

/** Cleans the chunks inside a frame of an animation. */
function cleanFrame(data: Buffer, shared: PieceBudget): Buffer {
  if (data.length < FRAME_HEAD) throw broken()
  const inside = [...chunksOf(data.subarray(FRAME_HEAD), shared)].filter(({ name }) => IN_FRAME.has(name))
  return Buffer.concat([data.subarray(0, FRAME_HEAD), ...inside.map(written)])
}

function cleanChunk({ name, data }: Chunk, shared: PieceBudget): Chunk {
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

function readWebp(file: Buffer): Picture {
  const stated = file.readUInt32LE(4) + 8
  if (stated > file.length) throw broken()
  if (stated < file.length) throw trailing()
  const shared = newPieceBudget()
  const chunks = [...chunksOf(file.subarray(12), shared)]
  const first = chunks[0]
  if (!first || !chunks.some(({ name }) => HAS_PIXELS.has(name))) throw broken()
  const size = sizeIn(first)
  requireModestSize(size.width, size.height)
  const body = Buffer.concat(
    chunks.filter(({ name }) => KEPT_CHUNKS.has(name)).map((chunk) => written(cleanChunk(chunk, shared))),
  )
  const head = Buffer.concat([RIFF, Buffer.alloc(4), WEBP])
  head.writeUInt32LE(body.length + 4, 4)
  return { bytes: Buffer.concat([head, body]), mediaType: 'image/webp', ...size }
}

const startsWith = (file: Buffer, start: Buffer) => file.subarray(0, start.length).equals(start)

export function readPicture(file: Buffer): Picture {
  if (startsWith(file, PNG_SIGNATURE)) return readPng(file)
  if (startsWith(file, JPEG_START)) return readJpeg(file)
  if (GIF_STARTS.some((start) => startsWith(file, start))) return readGif(file)
  if (isWebp(file)) return readWebp(file)
  throw new BadImage('unknown')
}
