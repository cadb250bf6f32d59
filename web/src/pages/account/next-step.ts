import type { LinkProps } from '@tanstack/react-router'
import type { User } from '../../api/types.ts'
import type { AgentId } from './agents.ts'

type Answers = NonNullable<User['onboarding']>

const AGENT_TABS: Record<string, AgentId> = {
  'Claude Code': 'claude',
  Cursor: 'cursor',
  'VS Code': 'vscode',
  Another: 'http',
}

const agentsIn = ({ agents }: Answers): string[] =>
  Array.isArray(agents) ? agents.filter((one) => typeof one === 'string') : []

/** The tab of "Connect your agent" for the agent that the person named first. */
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

/** The page after the questions: what the person wants first. */
export function nextStepOf(answers: Answers): NonNullable<LinkProps['to']> {
  const goal =
    typeof answers.first_goal === 'string' && Object.hasOwn(GOALS, answers.first_goal)
      ? GOALS[answers.first_goal]
      : undefined
  if (goal) return goal
  const agents = agentsIn(answers)
  return agents.length > 0 && agents.every((agent) => agent === 'None yet') ? '/' : '/connect'
}
