/** Headers of a JSON request. */
export const JSON_HEADERS = { 'content-type': 'application/json' }

/** Posts JSON and returns the answer; throws for every answer that is not 2xx. */
export async function postJson(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  // biome-ignore lint/suspicious/noExplicitAny: a bench uses a few fields only
  return (await answer.json()) as any
}
