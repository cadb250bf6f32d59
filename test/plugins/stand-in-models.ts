import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A model that runs one command and then says that it is done, in the words of three makers. It remembers what it was told. */
export type StandInModel = { url: string; told: string[]; close: () => Promise<void> }

const REPLY = 'All is done.'

type Sent = { body: string; type: 'application/json' | 'text/event-stream' }

const event = (data: { type: string } & Record<string, unknown>): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** Anthropic's Messages. */
function asMessages(command: string | undefined): Sent {
  const block = command
    ? { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }
    : { type: 'text', text: '' }
  const delta = command
    ? { type: 'input_json_delta', partial_json: JSON.stringify({ command, description: 'try' }) }
    : { type: 'text_delta', text: REPLY }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage }
  const stop_reason = command ? 'tool_use' : 'end_turn'
  const events = [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return { body: events.map(event).join(''), type: 'text/event-stream' }
}

/** OpenAI's Responses. */
function asResponses(command: string | undefined): Sent {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'exec_command' }
  const said = {
    type: 'message',
    id: 'm_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: REPLY }],
  }
  const item = command ? { ...call, arguments: JSON.stringify({ cmd: command }) } : said
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const events = [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', usage } },
  ]
  return { body: events.map(event).join(''), type: 'text/event-stream' }
}

/** Google's generateContent, streamed and whole. */
function asCandidates(command: string | undefined, isStream: boolean): Sent {
  const call = { functionCall: { name: 'run_shell_command', args: { command, description: 'try' } } }
  const part = command ? call : { text: isStream ? REPLY : '{}' }
  const candidates = [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }]
  const answer = JSON.stringify({ candidates, usageMetadata: { totalTokenCount: 2 } })
  return isStream
    ? { body: `data: ${answer}\n\n`, type: 'text/event-stream' }
    : { body: answer, type: 'application/json' }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

export async function standInModel(command: string): Promise<StandInModel> {
  const told: string[] = []
  const server = createServer(async (request, response) => {
    const [path, text] = [request.url ?? '', await textOf(request)]
    // Questions beside the conversation carry no tools.
    const isConversation = text.includes('"tools"') && /Bash|exec_command|run_shell_command/.test(text)
    if (isConversation) told.push(text)
    const next = isConversation && told.length === 1 ? command : undefined
    const sent = path.includes('/responses')
      ? asResponses(next)
      : /generateContent/i.test(path)
        ? asCandidates(next, /stream/i.test(path))
        : asMessages(next)
    response.writeHead(200, { 'content-type': sent.type })
    response.end(sent.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
