import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  gifExtension,
  jpegSegment,
  makeGif,
  makeJpeg,
  makePng,
  makeWebp,
  pngChunk,
  webpChunk,
} from '../../../test/support/picture-files.ts'
import { BadImage, type ImageFault } from '../../shared/image-format.ts'
import { orientationSegment, readPicture } from './image-file.ts'

const METADATA = 'GPS 48.2 16.3'
const SAMPLES: [type: string, plain: Buffer, told: Buffer][] = [
  [
    'image/png',
    makePng(),
    makePng(4, 3, [
      pngChunk('tEXt', `Comment\0${METADATA}`),
      pngChunk('eXIf', `II*\0${METADATA}`),
      pngChunk('iCCP', METADATA),
      pngChunk('zzZz', METADATA),
    ]),
  ],
  [
    'image/jpeg',
    makeJpeg(),
    makeJpeg(4, 3, [
      jpegSegment(0xe1, `Exif\0\0${METADATA}`),
      jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${METADATA}`),
      jpegSegment(0xed, METADATA),
      jpegSegment(0xfe, METADATA),
    ]),
  ],
  [
    'image/gif',
    makeGif(),
    makeGif(4, 3, [
      gifExtension(0xfe, METADATA),
      gifExtension(0xff, 'XMP DataXMP', METADATA),
      gifExtension(1, METADATA),
    ]),
  ],
  [
    'image/webp',
    makeWebp(),
    makeWebp(4, 3, [webpChunk('EXIF', METADATA), webpChunk('XMP ', METADATA), webpChunk('abcd', METADATA)]),
  ],
]

const faultOf = (file: Buffer): ImageFault | undefined => {
  try {
    readPicture(file)
    return undefined
  } catch (error) {
    if (error instanceof BadImage) return error.fault
    throw error
  }
}

test('each format is known by its content, and a plain file stays as it is', () => {
  for (const [mediaType, plain] of SAMPLES) {
    const picture = readPicture(plain)
    expect(picture, mediaType).toMatchObject({ mediaType, width: 4, height: 3 })
    expect(picture.bytes.equals(plain), mediaType).toBe(true)
  }
})

test('metadata is removed, and the rest is still the same picture', () => {
  for (const [mediaType, , told] of SAMPLES) {
    expect(told.toString('latin1'), mediaType).toContain(METADATA)
    const { bytes } = readPicture(told)
    expect(bytes.toString('latin1'), mediaType).not.toContain('GPS')
    expect(readPicture(bytes).bytes.equals(bytes), mediaType).toBe(true)
  }
  const webp = readPicture(makeWebp(4, 3, [webpChunk('EXIF', METADATA)])).bytes
  expect(webp[20]).toBe(0)
})

test('a turned photograph stays turned, and its EXIF says nothing else', () => {
  const { bytes } = readPicture(
    makeJpeg(4, 3, [orientationSegment(6), jpegSegment(0xe1, `Exif\0\0${METADATA}`)]),
  )
  expect(bytes.includes(orientationSegment(6))).toBe(true)
  expect(bytes.toString('latin1')).not.toContain('GPS')
  const little = Buffer.from(
    'Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0\0\0\0\0',
    'latin1',
  )
  expect(readPicture(makeJpeg(4, 3, [jpegSegment(0xe1, little)])).bytes.includes(orientationSegment(8))).toBe(
    true,
  )
})

test('a loop of an animation stays', () => {
  const loop = gifExtension(0xff, 'NETSCAPE2.0', Buffer.from([1, 0, 0]))
  expect(readPicture(makeGif(4, 3, [loop])).bytes.includes(loop)).toBe(true)
})

test('a file cut short anywhere is refused', () => {
  for (const [mediaType, plain, told] of SAMPLES)
    for (const file of [plain, told])
      for (let length = 0; length < file.length; length++)
        expect(faultOf(file.subarray(0, length)), `${mediaType} ${length}`).toMatch(/broken|unknown/)
})

test('a file that is something else as well is refused', () => {
  const script = Buffer.from('<script>alert(1)</script>')
  for (const [mediaType, plain] of SAMPLES) {
    expect(faultOf(Buffer.concat([plain, script])), mediaType).toBe('trailing')
    expect(faultOf(Buffer.concat([script, plain])), mediaType).toBe('unknown')
  }
  for (const text of ['', 'GIF', '<svg xmlns="http://www.w3.org/2000/svg"/>', '%PDF-1.7', 'PK\x03\x04', 'BM'])
    expect(faultOf(Buffer.from(text)), text).toBe('unknown')
})

test('the second picture that phones append is left out', () => {
  const { bytes } = readPicture(makeJpeg(4, 3, [], makeJpeg(9, 9)))
  expect(bytes.equals(makeJpeg())).toBe(true)
})

test('sizes and checksums in a file are not believed', () => {
  const wrongChecksum = makePng()
  wrongChecksum[29] = (wrongChecksum[29] as number) ^ 1
  const wrongLength = makePng()
  wrongLength.writeUInt32BE(0xfffffff0, 33)
  const wrongRiff = makeWebp()
  wrongRiff.writeUInt32LE(0xffffffff, 4)
  for (const file of [wrongChecksum, wrongLength, wrongRiff]) expect(faultOf(file)).toBe('broken')
  expect(faultOf(makePng(0, 3))).toBe('broken')
  for (const file of [
    makeJpeg(60_000, 3),
    makeGif(60_000, 3),
    makeWebp(16_384, 16_384),
    makeJpeg(10_000, 10_000),
  ])
    expect(faultOf(file)).toBe('too_large')
})

test('a file of millions of empty pieces is refused before they fill the memory', () => {
  const many = (piece: Buffer, bytes = 2 ** 20) => Buffer.alloc(bytes - (bytes % piece.length), piece)
  const frame = webpChunk('ANMF', Buffer.concat([Buffer.alloc(16), many(webpChunk('VP8L', ''), 2 ** 17)]))
  for (const file of [
    makeJpeg(4, 3, [many(jpegSegment(0xdb, ''))]),
    makePng(4, 3, [many(pngChunk('IDAT', ''))]),
    makeGif(4, 3, [many(gifExtension(0xf9))]),
    makeWebp(
      4,
      3,
      Array.from({ length: 8 }, () => frame),
    ),
  ])
    expect(faultOf(file)).toBe('too_many_parts')
  // What a large animation has is far from it.
  expect(faultOf(makeGif(4, 3, [many(gifExtension(0xff, 'XMP', Buffer.alloc(255)), 2 ** 22)]))).toBe(
    undefined,
  )
})

test('whatever the bytes are, the answer is a picture or a refusal', () => {
  const files = SAMPLES.flatMap(([, plain, told]) => [plain, told])
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))),
      (file, changes) => {
        const changed = Buffer.from(file)
        for (const [at, value] of changes) changed[at % changed.length] = value
        expect(['unknown', 'broken', 'trailing', 'too_large', undefined]).toContain(faultOf(changed))
      },
    ),
    { numRuns: 500 },
  )
})
