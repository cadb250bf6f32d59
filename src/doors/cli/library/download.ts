import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isLoopback } from '../../../core/own-addresses.ts'
import { withoutEnd } from '../../../text/without-end.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { reasonOf } from '../http-request.ts'

/** More than the library of a large server needs. The download stops when a server sends more. */
const MOST_DOWNLOAD_BYTES = 4 * 1024 ** 3
const TRIES = 3
const IDLE_MS = 60_000

/** The address of a server as it gives it itself. Plain http is readable on the way, so the caller must allow it. */
export function serverUrl(text: string, mayBePlain: boolean): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new CommandError(`${text} is not an address. Write it like https://vault.example.`, EXIT.usage)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new CommandError(
      `${text} is not the address of a server: it begins with ${url.protocol}`,
      EXIT.usage,
    )
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !mayBePlain)
    throw new CommandError(`${text} is not https. If you mean it, add --http.`, EXIT.usage)
  if (url.username || url.password || url.search || url.hash)
    throw new CommandError(
      `${text} should be the address of a server and nothing more, like https://vault.example.`,
      EXIT.usage,
    )
  return withoutEnd(`${url.origin}${url.pathname}`, '/')
}

class Refused extends CommandError {}

type Answer = Response & { body: NonNullable<Response['body']> }

/** Follows no redirect, because the key is pinned to the address that was named. */
async function request(
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const answer = await fetch(address, { headers, redirect: 'manual', signal })
  if (answer.status >= 300 && answer.status < 400)
    throw new Refused(
      `${address} leads elsewhere (${answer.headers.get('location') ?? 'redirect'}). Pull from there if you trust it.`,
    )
  if (answer.status === 404)
    throw new Refused(
      `${address} is not there. The server may have no public pages (PUBLIC_PAGES), or no snapshot yet.`,
    )
  if (!answer.ok || answer.body === null) throw new Refused(`${address} answered ${answer.status}.`)
  return answer as Answer
}

const MOST_LISTING_BYTES = 1024 * 1024

/** Reads a small JSON answer, up to a limit. */
export async function readSmall(address: string): Promise<unknown> {
  try {
    const answer = await request(address, {}, AbortSignal.timeout(IDLE_MS))
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of answer.body) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > MOST_LISTING_BYTES) throw new Refused(`${address} sent an answer that is too long.`)
    }
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${address} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Aborts a transfer that has stalled or is too long. */
async function* watched(body: AsyncIterable<Uint8Array>, abort: AbortController, room: number) {
  let left = room
  let timer = setTimeout(() => abort.abort(), IDLE_MS)
  try {
    for await (const chunk of body) {
      clearTimeout(timer)
      timer = setTimeout(() => abort.abort(), IDLE_MS)
      left -= chunk.length
      if (left < 0) throw new Refused(`The snapshot has more than ${MOST_DOWNLOAD_BYTES} bytes.`)
      yield chunk
    }
  } finally {
    clearTimeout(timer)
  }
}

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0

type Transfer = { etag: string | null }

/** Continues where a broken transfer ended, if the server still has the same snapshot. */
async function transfer(address: string, file: string, state: Transfer): Promise<void> {
  const had = state.etag === null ? 0 : await sizeOf(file)
  const abort = new AbortController()
  const headers: Record<string, string> =
    had > 0 ? { range: `bytes=${had}-`, 'if-range': state.etag ?? '' } : {}
  const answer = await request(address, { 'accept-encoding': 'identity', ...headers }, abort.signal)
  const isRest = answer.status === 206
  state.etag = answer.headers.get('accept-ranges') === 'bytes' ? answer.headers.get('etag') : null
  await pipeline(
    Readable.from(watched(answer.body, abort, MOST_DOWNLOAD_BYTES - (isRest ? had : 0))),
    createWriteStream(file, { flags: isRest ? 'a' : 'w', mode: 0o600 }),
  )
}

export async function download(address: string, file: string): Promise<void> {
  const state: Transfer = { etag: null }
  for (let left = TRIES; ; left--) {
    try {
      return await transfer(address, file, state)
    } catch (error) {
      if (error instanceof CommandError) throw error
      if (left === 1) throw new CommandError(`${address} cannot be read: ${reasonOf(error)}.`)
    }
  }
}
