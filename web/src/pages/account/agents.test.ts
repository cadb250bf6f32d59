import { expect, test } from 'vitest'
import { agentTabOf, nextStepOf } from './agents.ts'

test('the goal decides where somebody goes on', () => {
  expect(nextStepOf({ first_goal: 'Find fixes' })).toBe('/')
  expect(nextStepOf({ first_goal: 'Keep what I learn', agents: ['Cursor'] })).toBe('/cards/new')
  expect(nextStepOf({ first_goal: 'Give my agent memory' })).toBe('/connect')
  expect(nextStepOf({ first_goal: 'Share with my team' })).toBe('/workspaces')
})

test('without a goal the agents decide, and without answers it is the agent', () => {
  expect(nextStepOf({ agents: ['None yet'] })).toBe('/')
  expect(nextStepOf({ agents: ['None yet', 'Cursor'] })).toBe('/connect')
  expect(nextStepOf({})).toBe('/connect')
  expect(nextStepOf({ first_goal: 'constructor' })).toBe('/connect')
})

test('the tab is that of the first agent that has one', () => {
  expect(agentTabOf({ agents: ['None yet', 'VS Code', 'Cursor'] })).toBe('vscode')
  expect(agentTabOf({ agents: ['Another'] })).toBe('http')
  expect(agentTabOf({ agents: 'Cursor' })).toBe('claude')
  expect(agentTabOf(null)).toBe('claude')
})
