import { GIF_STARTS, readGif } from './gif.ts'
import { BadImage, type Picture } from './image-format.ts'
import { JPEG_START, readJpeg } from './jpeg.ts'
import { PNG_SIGNATURE, readPng } from './png.ts'
import { isWebp, readWebp } from './webp.ts'

const startsWith = (file: Buffer, start: Buffer) => file.subarray(0, start.length).equals(start)

/**
 * Recognises a file by its content and writes it again without metadata. The name and the stated type of the file mean
 * nothing. Throws `BadImage` for everything that is not one whole picture and nothing else.
 */
export function readPicture(file: Buffer): Picture {
  if (startsWith(file, PNG_SIGNATURE)) return readPng(file)
  if (startsWith(file, JPEG_START)) return readJpeg(file)
  if (GIF_STARTS.some((start) => startsWith(file, start))) return readGif(file)
  if (isWebp(file)) return readWebp(file)
  throw new BadImage('unknown')
}
