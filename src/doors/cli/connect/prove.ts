import type { McpClient } from '../clients/client.ts'
import { entryIn, wayOf } from '../clients/entry.ts'
import { readText } from '../clients/files.ts'
import { type Probe, probe } from '../mcp-probe.ts'

/** Asks the server for its tools by the entry that is in the file now, not by the one that we meant to write. */
export async function prove(client: McpClient, signal?: AbortSignal): Promise<Probe> {
  const file = client.file()
  const entry = entryIn(readText(file) ?? '', client, file)
  const way = entry && wayOf(entry)
  if (!way) return { state: 'refused', detail: `${file} has no entry for the vault.` }
  return probe(way, signal)
}
