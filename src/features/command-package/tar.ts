export type PackedFile = { path: string; content: Buffer }

const BLOCK = 512
const FILE_MODE = 0o644

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`

/** A header of POSIX ustar. Nothing in it depends on the machine or the moment, so equal files make equal archives. */
function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`The path is too long for a tar header: ${path}`)
  const block = Buffer.alloc(BLOCK)
  block.write(path, 0)
  block.write(octal(FILE_MODE, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(size, 12), 124)
  block.write(octal(0, 12), 136)
  // The sum is taken with spaces in its own place.
  block.write(' '.repeat(8), 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

export function tar(files: readonly PackedFile[]): Buffer {
  const parts = files.flatMap(({ path, content }) => [
    header(path, content.length),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ])
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}
