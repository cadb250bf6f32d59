import { crc32 } from 'node:zlib'
import { broken, type Picture, Reader, requireModestSize, trailing } from './image-format.ts'

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The chunks that draw the picture. Texts, times, EXIF, colour profiles and chunks of programs are dropped. */
const KEPT = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB cICP sBIT bKGD pHYs acTL fcTL fdAT'.split(' '))

/** A chunk is its length, its name, its data and a checksum over name and data. */
export function readPng(file: Buffer): Picture {
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
