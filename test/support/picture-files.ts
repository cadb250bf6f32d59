import { crc32, deflateSync } from 'node:zlib'

/** Pictures made byte by byte, with whatever a test wants in them. */

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export function pngChunk(name: string, data: Buffer | string): Buffer {
  const body = Buffer.concat([Buffer.from(name), Buffer.from(data)])
  return Buffer.concat([u32(body.length - 4), body, u32(crc32(body))])
}

/** A picture of one colour that every browser shows. */
export function makePng(width = 4, height = 3, extra: Buffer[] = []): Buffer {
  const header = Buffer.concat([u32(width), u32(height), Buffer.from([8, 2, 0, 0, 0])])
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([70, 90, 220]))])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', ''),
  ])
}

export function jpegSegment(marker: number, data: Buffer | string): Buffer {
  const body = Buffer.from(data)
  return Buffer.concat([Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255]), body])
}

/** The parts of a JPEG in their order; its pixels mean nothing. */
export function makeJpeg(
  width = 4,
  height = 3,
  extra: Buffer[] = [],
  after: Buffer = Buffer.alloc(0),
): Buffer {
  const frame = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...extra,
    jpegSegment(0xc0, frame),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 0x3f, 0])),
    Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd1, 0x56]),
    Buffer.from([0xff, 0xd9]),
    after,
  ])
}

const block = (data: string | Buffer) => Buffer.concat([Buffer.from([data.length]), Buffer.from(data)])

export const gifExtension = (label: number, ...blocks: (string | Buffer)[]): Buffer =>
  Buffer.concat([Buffer.from([0x21, label]), ...blocks.map(block), Buffer.from([0])])

export function makeGif(width = 4, height = 3, extra: Buffer[] = []): Buffer {
  const screen = Buffer.from([
    width & 255,
    width >> 8,
    height & 255,
    height >> 8,
    0x80,
    0,
    0,
    0,
    0,
    0,
    255,
    255,
    255,
  ])
  const image = Buffer.from([0x2c, 0, 0, 0, 0, width & 255, width >> 8, height & 255, height >> 8, 0, 2])
  return Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    ...extra,
    image,
    block(Buffer.from([0x84, 0x51])),
    Buffer.from([0, 0x3b]),
  ])
}

export function webpChunk(name: string, data: Buffer | string): Buffer {
  const body = Buffer.from(data)
  const head = Buffer.alloc(8, name)
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

const vp8l = (width: number, height: number) => {
  const data = Buffer.alloc(6)
  data[0] = 0x2f
  data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1)
  return webpChunk('VP8L', data)
}

/** With `extra` chunks it says by flags what they are, as encoders do. */
export function makeWebp(width = 4, height = 3, extra: Buffer[] = []): Buffer {
  const canvas = Buffer.alloc(10)
  canvas[0] = 0x2c
  canvas.writeUIntLE(width - 1, 4, 3)
  canvas.writeUIntLE(height - 1, 7, 3)
  const chunks =
    extra.length > 0 ? [webpChunk('VP8X', canvas), vp8l(width, height), ...extra] : [vp8l(width, height)]
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  const head = Buffer.alloc(8, 'RIFF')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}
