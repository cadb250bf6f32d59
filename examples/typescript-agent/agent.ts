/**
 * One session of an agent over MCP: node agent.ts <project> <problem> [what fixed it]
 * KVAULT_URL and KVAULT_API_KEY say which vault and who.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

type Answer<T> = { data: T }
type Hit = { card_id: string; title: string; fix_summary: string }
type Memory = { summary: { content: string } | null; total_events: number }

const [project, problem, fix] = process.argv.slice(2)
const { KVAULT_URL = 'http://127.0.0.1:8080', KVAULT_API_KEY } = process.env
if (!project || !problem || !KVAULT_API_KEY) {
  process.stderr.write('Usage: KVAULT_API_KEY=… node agent.ts <project> <problem> [what fixed it]\n')
  process.exit(2)
}

const client = new Client({ name: 'example-agent', version: '1.0.0' })
await client.connect(
  new StreamableHTTPClientTransport(new URL('/mcp', KVAULT_URL), {
    requestInit: { headers: { 'X-API-Key': KVAULT_API_KEY } },
  }),
)

/** A refused call is a result with a sentence in it, which a model can read and mend. */
async function use<T>(tool: string, input: Record<string, unknown>): Promise<T> {
  const result = await client.callTool({ name: tool, arguments: input })
  if (result.isError) throw new Error(`${tool}: ${JSON.stringify(result.content)}`)
  return (result.structuredContent as Answer<T>).data
}

/** Stands for the model: it knows the fix, reads it in a card, or does not know. */
const think = (hits: Hit[]): string =>
  fix ?? hits.map((hit) => `${hit.title}: ${hit.fix_summary}`)[0] ?? 'No fix is known yet.'

const memory = await use<Memory>('get_project_context', { project_key: project })
console.log(`Memory: ${memory.total_events} events. Focus: ${memory.summary?.content ?? 'none yet'}`)

const { results } = await use<{ results: Hit[] }>('search_records', { query: problem })
console.log(`Search: ${results.length} hits`)

const report = think(results)
if (fix) {
  const card = await use<{ card_id: string }>('record_card', {
    title: problem.slice(0, 120),
    symptom: problem,
    fix_summary: fix,
    tags: ['example'],
  })
  console.log(`Recorded: ${card.card_id}`)
}

await use('append_context_turn', {
  project_key: project,
  user_message: problem,
  agent_report: report,
  summary: `Working on: ${problem}`,
  client: 'example-agent',
})
console.log(`Report: ${report}`)
await client.close()
