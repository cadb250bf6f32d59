import type { App } from '../../src/app.ts'

export type Answer = {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
  body: any
  text: string
}

type Headers = Record<string, string>

export type Client = {
  get: (url: string, headers?: Headers) => Promise<Answer>
  post: (url: string, body?: unknown, headers?: Headers) => Promise<Answer>
  put: (url: string, body?: unknown, headers?: Headers) => Promise<Answer>
  patch: (url: string, body?: unknown, headers?: Headers) => Promise<Answer>
  delete: (url: string, headers?: Headers) => Promise<Answer>
  /** Calls a tool at the tool door. */
  tool: (name: string, body?: unknown) => Promise<Answer>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function clientOf(app: App, credential: Headers): Client {
  const call = async (
    method: Method,
    url: string,
    body?: unknown,
    headers: Headers = {},
  ): Promise<Answer> => {
    const answer = await app.server.inject({
      method,
      url,
      headers: {
        ...credential,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: parsed(answer.payload),
      text: answer.payload,
    }
  }
  return {
    get: (url, headers) => call('GET', url, undefined, headers),
    post: (url, body, headers) => call('POST', url, body, headers),
    put: (url, body, headers) => call('PUT', url, body, headers),
    patch: (url, body, headers) => call('PATCH', url, body, headers),
    delete: (url, headers) => call('DELETE', url, undefined, headers),
    tool: (name, body = {}) => call('POST', `/mcp/tools/${name}`, body),
  }
}
