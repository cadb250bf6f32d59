import { jsonIn, request, textOf } from '../http-request.ts'

export type Posted = { status: number; body: unknown }

const MOST_BYTES = 1024 * 1024

export type PostOptions = { apiKey: string; timeoutMs: number; idempotencyKey?: string }

export async function postJson(url: string, body: object, options: PostOptions): Promise<Posted> {
  const answer = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': options.apiKey,
      ...(options.idempotencyKey ? { 'idempotency-key': options.idempotencyKey } : {}),
    },
    json: body,
    timeoutMs: options.timeoutMs,
  })
  return { status: answer.statusCode ?? 0, body: jsonIn(await textOf(answer, MOST_BYTES)) }
}
