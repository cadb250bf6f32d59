/**
 * Cameras do not turn the pixels: they note in EXIF how the picture is to be turned. That one number is kept; the rest
 * of EXIF is dropped.
 */
const EXIF = Buffer.from('Exif\0\0', 'latin1')
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12

/** 1 to 8, or undefined if the segment is something else or has no orientation. */
export function orientationIn(segment: Buffer): number | undefined {
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

/** An EXIF segment with nothing but the orientation. */
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
