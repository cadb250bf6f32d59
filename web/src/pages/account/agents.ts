import type { LinkProps } from '@tanstack/react-router'
import type { User } from '../../api/types.ts'
import * as strings from './strings.ts'

export type AgentId = 'claude' | 'cursor' | 'vscode' | 'http'

type Agent = {
  id: AgentId
  name: string
  where: string
  config: (base: string, key: string, isCore: boolean) => string
}

export const kvaultCommand = (base: string, verb: string): string => `npx -y ${base}/kvault.tgz ${verb}`

/** The core tools unless the key may do more: each listed tool costs a model tokens in every session. */
const mcpUrl = (base: string, isCore: boolean): string => `${base}/mcp${isCore ? '?profile=core' : ''}`

const json = (value: unknown) => JSON.stringify(value, null, 2)

export const AGENTS: Agent[] = [
  {
    id: 'claude',
    name: 'Claude Code',
    where: strings.runInTerminal,
    config: (base, key, isCore) =>
      `claude mcp add --transport http --scope user knowledge-vault "${mcpUrl(base, isCore)}" \\\n  --header "Authorization: Bearer ${key}"`,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    where: strings.putIntoCursor,
    config: (base, key, isCore) =>
      json({
        mcpServers: {
          'knowledge-vault': { url: mcpUrl(base, isCore), headers: { Authorization: `Bearer ${key}` } },
        },
      }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    where: strings.putIntoVsCode,
    config: (base, key, isCore) =>
      json({
        servers: {
          'knowledge-vault': {
            type: 'http',
            url: mcpUrl(base, isCore),
            headers: { Authorization: `Bearer ${key}` },
          },
        },
      }),
  },
  {
    id: 'http',
    name: 'HTTP',
    where: strings.anyProgramCanCall,
    config: (base, key) =>
      `curl ${base}/mcp/tools/search_records \\\n  -H "X-API-Key: ${key}" \\\n  -H "Content-Type: application/json" \\\n  -d '{"query": "connection pool exhausted"}'`,
  },
]

type Answers = NonNullable<User['onboarding']>

const AGENT_TABS: Record<string, AgentId> = {
  'Claude Code': 'claude',
  Cursor: 'cursor',
  'VS Code': 'vscode',
  Another: 'http',
}

const agentsIn = ({ agents }: Answers): string[] =>
  Array.isArray(agents) ? agents.filter((one) => typeof one === 'string') : []

/** Returns the tab of "Connect your agent" for the agent that the person named first. */
export const agentTabOf = (answers: Answers | null): AgentId => {
  const named = agentsIn(answers ?? {}).find((agent) => Object.hasOwn(AGENT_TABS, agent))
  return (named && AGENT_TABS[named]) || 'claude'
}

const GOALS: Record<string, NonNullable<LinkProps['to']>> = {
  'Find fixes': '/',
  'Keep what I learn': '/cards/new',
  'Give my agent memory': '/connect',
  'Share with my team': '/workspaces',
}

export function nextStepOf(answers: Answers): NonNullable<LinkProps['to']> {
  const goal =
    typeof answers.first_goal === 'string' && Object.hasOwn(GOALS, answers.first_goal)
      ? GOALS[answers.first_goal]
      : undefined
  if (goal) return goal
  const agents = agentsIn(answers)
  return agents.length > 0 && agents.every((agent) => agent === 'None yet') ? '/' : '/connect'
}
