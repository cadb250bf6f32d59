import { crc32, deflateRawSync } from 'node:zlib'
import type { PackedFile } from './tar.ts'

const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END = 0x06054b50
const VERSION_NEEDED = 20
const DEFLATED = 8
const UTF8_NAMES = 0x0800
/** The first day that a zip can name: equal files make equal archives. */
const FIRST_DAY = 0x21

type Stored = { path: Buffer; packed: Buffer; content: Buffer; offset: number }

/** The part that local and central headers share. */
function common({ path, packed, content }: Stored): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION_NEEDED, 0)
  fields.writeUInt16LE(UTF8_NAMES, 2)
  fields.writeUInt16LE(DEFLATED, 4)
  fields.writeUInt16LE(0, 6)
  fields.writeUInt16LE(FIRST_DAY, 8)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(packed.length, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(path.length, 22)
  fields.writeUInt16LE(0, 24)
  return fields
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const local = (file: Stored): Buffer =>
  Buffer.concat([number(LOCAL_HEADER), common(file), file.path, file.packed])

function central(file: Stored): Buffer {
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(file.offset, 10)
  const madeBy = Buffer.alloc(2)
  madeBy.writeUInt16LE(VERSION_NEEDED)
  return Buffer.concat([number(CENTRAL_HEADER), madeBy, common(file), tail, file.path])
}

export function zip(files: readonly PackedFile[]): Buffer {
  let offset = 0
  const locals: Buffer[] = []
  const stored = files.map(({ path, content }) => {
    const file = { path: Buffer.from(path), packed: deflateRawSync(content, { level: 9 }), content, offset }
    const bytes = local(file)
    locals.push(bytes)
    offset += bytes.length
    return file
  })
  const directory = Buffer.concat(stored.map(central))
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, number(END), end])
}
