import { write, writeSync } from 'node:fs'

const BUSY_MS = 100
const MOST_PAUSES = 10
/** A reader that is too slow, or gone, costs no more memory than this. Later lines are dropped until there is room. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024

const isBusy = (error: NodeJS.ErrnoException) => error.code === 'EAGAIN' || error.code === 'EBUSY'

/**
 * Where log lines go. What cannot be written is dropped, and the next lines are tried again: a log on a full disk, or on a
 * terminal that has closed, must not stop the service. Pino's own output ends the process then, and tries for ever to write
 * the last lines before it does.
 */
export class LogOutput {
  readonly #fd: number
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isWriting = false

  constructor(fd: number) {
    this.#fd = fd
  }

  write(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#waitingBytes + bytes.length > MOST_WAITING_BYTES) return
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#isWriting) this.#writeNext()
  }

  /** All that waits, at once. */
  #take(): Buffer {
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    return bytes
  }

  #writeNext(bytes = this.#take()): void {
    this.#isWriting = bytes.length > 0
    if (!this.#isWriting) return
    write(this.#fd, bytes, (error, written) => {
      if (error && isBusy(error)) setTimeout(() => this.#writeNext(bytes), BUSY_MS)
      else if (error) this.#writeNext()
      else this.#writeNext(written < bytes.length ? bytes.subarray(written) : undefined)
    })
  }

  /** For the end of the process. A slow reader has a second for the last lines. */
  writeRest(): void {
    let rest = this.#take()
    for (let pauses = 0; rest.length > 0 && pauses < MOST_PAUSES; )
      try {
        rest = rest.subarray(writeSync(this.#fd, rest))
      } catch (error) {
        if (!isBusy(error as NodeJS.ErrnoException)) return
        pauses++
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)
      }
  }
}
