import type { Client } from '../support/client.ts'

export type Expected = { email: string; card_id: string; shared_id: string; workspace_id: string }

/** What the author of the fixture sees, without what depends on the moment. */
export async function lookAt(author: Client, ids: Expected): Promise<Record<string, unknown>> {
  const looks = {
    card: `/api/v1/cards/${ids.card_id}?include_evidences=true`,
    first_version: `/api/v1/cards/${ids.card_id}/history/1`,
    shared: `/api/v1/cards/${ids.shared_id}`,
    cards: '/api/v1/cards?scope=personal',
    workspace: `/api/v1/workspaces/${ids.workspace_id}`,
    members: `/api/v1/workspaces/${ids.workspace_id}/members`,
    invites: `/api/v1/workspaces/${ids.workspace_id}/invites?include_history=true`,
    balance: '/api/v1/credits/balance',
    ledger: '/api/v1/credits/history',
    settings: '/api/v1/user/settings',
    materials: '/api/v1/raw-materials',
    projects: '/api/v1/project-context/projects',
  }
  const seen: Record<string, unknown> = {}
  for (const [name, url] of Object.entries(looks)) {
    const answer = await author.get(url)
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${answer.text}`)
    seen[name] = answer.body
  }
  const snapshot = await author.get('/api/v1/project-context/snapshot?project_key=example/vault')
  const { generated_at: _, ...rest } = snapshot.body
  return { ...seen, snapshot: rest }
}
