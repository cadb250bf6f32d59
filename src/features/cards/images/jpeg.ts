import { broken, type Picture, Reader, requireModestSize, trailing } from './image-format.ts'
import { orientationIn, orientationSegment } from './orientation.ts'

export const JPEG_START = Buffer.from([0xff, 0xd8, 0xff])

const START = 0xd8
const END = 0xd9
const SCAN = 0xda
const APP0 = 0xe0
const APP1 = 0xe1
const APP14 = 0xee
const APP15 = 0xef
const COMMENT = 0xfe
/** Start of frame, in all the ways of coding. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
const JFIF_LENGTH = 14
const ADOBE = Buffer.from('Adobe')

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

/** Application data is dropped, except what changes the colours and how the picture is turned. */
function isKept(marker: number, data: Buffer): boolean {
  if (marker === APP0) return data.length === JFIF_LENGTH
  if (marker === APP14) return data.length === 12 && data.subarray(0, 5).equals(ADOBE)
  return !(marker === COMMENT || (marker > APP0 && marker <= APP15))
}

/** A marker may have any number of fill bytes before it. */
function nextMarker(reader: Reader): number {
  if (reader.byte() !== 0xff) throw broken()
  let marker = reader.byte()
  while (marker === 0xff) marker = reader.byte()
  return marker
}

/** Where the coded pixels end: at the first marker that is neither an escaped byte nor a restart. */
function endOfScan(file: Buffer, from: number): number {
  // Byte by byte, without a call for each: a scan may consist of escaped bytes only.
  for (let at = from; at + 1 < file.length; at++) {
    const next = file[at + 1] as number
    if (file[at] === 0xff && next !== 0 && next !== 0xff && !isRestart(next)) return at
  }
  throw broken()
}

export function readJpeg(file: Buffer): Picture {
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
    if (FRAMES.has(marker)) size = readFrame(data)
    if (marker === APP1) orientation = orientationIn(data) ?? orientation
    if (isKept(marker, data)) kept.push(Buffer.from([0xff, marker]), file.subarray(start, reader.at))
    if (marker !== SCAN) continue
    if (!size) throw broken()
    hasPixels = true
    const end = endOfScan(file, reader.at)
    kept.push(reader.take(end - reader.at))
  }
  if (!size || !hasPixels) throw broken()
  // Phones append a second picture for bright screens. It is left out; anything else after the end is refused.
  if (reader.left > 0 && !file.subarray(reader.at, reader.at + 3).equals(JPEG_START)) throw trailing()
  kept.push(Buffer.from([0xff, END]))
  if (orientation !== 1) kept.splice(1, 0, orientationSegment(orientation))
  return { bytes: Buffer.concat(kept), mediaType: 'image/jpeg', ...size }
}

function readFrame(data: Buffer): { width: number; height: number } {
  if (data.length < 6) throw broken()
  const size = { height: data.readUInt16BE(1), width: data.readUInt16BE(3) }
  requireModestSize(size.width, size.height)
  return size
}
