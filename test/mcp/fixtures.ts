// What the conformance suite wants to find on a server and no product has: tools that answer with pictures, that log, that
// ask back. They go through our own door, so the suite's fixture scenarios test the door; only tests import this file.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })
const IMAGE = { type: 'image', data: PIXEL, mimeType: 'image/png' } as const

const codec = createRequestStateCodec({ key: 'a key that is only used by the conformance suite' })

const ask = (message: string, field: string, type: 'string' | 'boolean' = 'string'): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: type === 'string' ? { type } : { type } },
      required: [field],
    },
  })
const sample = (prompt: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  })

const answer = (ctx: ServerContext, key: string) => inputResponse(ctx.mcpReq.inputResponses, key)
const missing = (ctx: ServerContext, ...keys: string[]) =>
  keys.some((key) => answer(ctx, key).kind === 'missing')

type Fixture = (
  args: Record<string, unknown>,
  ctx: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>

const TOOLS: Record<string, Fixture> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [IMAGE] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      IMAGE,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  test_error_handling: () => ({
    isError: true,
    ...text('This tool intentionally returns an error for testing'),
  }),
  test_tool_with_logging: async (_args, ctx) => {
    await ctx.mcpReq.log('info', 'Tool execution started')
    await sleep(50)
    await ctx.mcpReq.log('info', 'Tool processing data')
    await sleep(50)
    await ctx.mcpReq.log('info', 'Tool execution completed')
    return text('done')
  },
  test_tool_with_progress: async (_args, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
      }
      await sleep(50)
    }
    return text('done')
  },
  test_missing_capability: () => {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  test_input_required_result_elicitation: (_args, ctx) =>
    missing(ctx, 'user_name')
      ? inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
      : text('Hello!'),
  test_input_required_result_sampling: (_args, ctx) =>
    missing(ctx, 'capital_question')
      ? inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } })
      : text('Thank you.'),
  test_input_required_result_list_roots: (_args, ctx) =>
    missing(ctx, 'client_roots')
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : text(JSON.stringify(answer(ctx, 'client_roots'))),
  test_input_required_result_request_state: async (_args, ctx) =>
    missing(ctx, 'confirm')
      ? inputRequired({
          inputRequests: { confirm: ask('Please confirm', 'ok', 'boolean') },
          requestState: await codec.mint({ round: 1 }, ctx),
        })
      : text(`state-ok ${JSON.stringify(ctx.mcpReq.requestState())}`),
  test_input_required_result_tampered_state: async (_args, ctx) =>
    missing(ctx, 'confirm')
      ? inputRequired({
          inputRequests: { confirm: ask('Please confirm', 'ok', 'boolean') },
          requestState: await codec.mint({ round: 1 }, ctx),
        })
      : text('done'),
  test_input_required_result_multiple_inputs: async (_args, ctx) =>
    missing(ctx, 'user_name', 'greeting', 'client_roots')
      ? inputRequired({
          inputRequests: {
            user_name: ask('What is your name?', 'name'),
            greeting: sample('Generate a greeting'),
            client_roots: inputRequired.listRoots(),
          },
          requestState: await codec.mint({ round: 1 }, ctx),
        })
      : text('done'),
  test_input_required_result_multi_round: async (_args, ctx) => {
    const round = ctx.mcpReq.requestState<{ round: number }>()?.round ?? 0
    if (round === 0 || (round === 1 && missing(ctx, 'step1'))) {
      return inputRequired({
        inputRequests: { step1: ask('Step 1: What is your name?', 'name') },
        requestState: await codec.mint({ round: 1 }, ctx),
      })
    }
    if (round === 1 || missing(ctx, 'step2')) {
      return inputRequired({
        inputRequests: { step2: ask('Step 2: What is your favorite color?', 'color') },
        requestState: await codec.mint({ round: 2 }, ctx),
      })
    }
    return text('done')
  },
  test_input_required_result_capabilities: (_args, ctx) => {
    const envelope = ctx.mcpReq.envelope as Record<string, Record<string, unknown> | undefined> | undefined
    const able = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
    const inputRequests: Record<string, InputRequest> = {}
    if (able.elicitation) inputRequests.user_name = ask('What is your name?', 'name')
    if (able.sampling) inputRequests.greeting = sample('Generate a greeting')
    return Object.keys(inputRequests).length > 0 && !ctx.mcpReq.inputResponses
      ? inputRequired({ inputRequests })
      : text('done')
  },
}

const PROMPTS: Record<
  string,
  { arguments?: string[]; messages: (args: Record<string, string>) => unknown[] }
> = {
  test_simple_prompt: { messages: () => [said('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    messages: ({ resourceUri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      },
      said('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    messages: () => [{ role: 'user', content: IMAGE }, said('Please analyze the image above.')],
  },
  test_input_required_result_prompt: { messages: () => [said('done')] },
}
function said(value: string) {
  return { role: 'user', content: { type: 'text', text: value } }
}

const RESOURCES: Record<string, Record<string, string>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://template/123/data': {
    mimeType: 'application/json',
    text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
  },
}

export function fixtureServer(): Server {
  const server = new Server(
    { name: 'conformance-fixtures', version: '0.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      requestState: { verify: codec.verify },
    },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: name,
      inputSchema: { type: 'object' as const },
    })),
  }))
  server.setRequestHandler('tools/call', (request, ctx) => {
    const tool = TOOLS[request.params.name]
    return tool ? tool(request.params.arguments ?? {}, ctx) : { isError: true, ...text('Unknown tool') }
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      description: name,
      arguments: (prompt.arguments ?? []).map((argument) => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', (request, ctx) => {
    const { name, arguments: given = {} } = request.params
    if (name === 'test_input_required_result_prompt' && missing(ctx, 'user_context')) {
      return inputRequired({
        inputRequests: { user_context: ask('What context should the prompt use?', 'context') },
      })
    }
    return { messages: PROMPTS[name]?.messages(given) ?? [] } as never
  })
  server.setRequestHandler('resources/list', () => ({
    resources: Object.keys(RESOURCES).map((uri) => ({ uri, name: uri, description: uri })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'A template' },
    ],
  }))
  server.setRequestHandler('resources/read', (request) => {
    const { uri } = request.params
    const found = RESOURCES[uri]
    if (!found) throw new ResourceNotFoundError(uri)
    return { contents: [{ uri, ...found }] } as never
  })
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }))
  return server
}
