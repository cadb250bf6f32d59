export type DocumentKind = 'summary' | 'project_facts' | 'project_preferences' | 'user_preferences'

type Words = { title: string; heading: string; empty: string; hint: string; example: string }

export const DOCUMENTS: Record<DocumentKind, Words> = {
  summary: {
    title: 'Current focus',
    heading: 'Current focus',
    empty: 'No summary yet. Agents write one at the end of a turn.',
    hint: 'What is being worked on now, not the whole specification.',
    example: 'Moving the checkout to the new payment provider; refunds are next.',
  },
  project_facts: {
    title: 'Facts',
    heading: 'Project facts',
    empty:
      'No facts yet. Stable things about the project belong here: how to build it, where it runs, what never to touch.',
    hint: 'One line each. Agents read this at the start of every session.',
    example:
      '- Node 24, SQLite in development, PostgreSQL in production\n- The suite needs a running mail catcher',
  },
  project_preferences: {
    title: 'Preferences',
    heading: 'Project preferences',
    empty: 'No preferences yet. How you want things done in this project.',
    hint: 'One line each. A line that starts with “- ” is one preference.',
    example: '- Tests before the change\n- Small commits that say why',
  },
  user_preferences: {
    title: 'Your preferences',
    heading: 'My preferences',
    empty: 'Nothing written yet. How you want every agent to work, in every project.',
    hint: 'One line each. A line that starts with “- ” is one preference.',
    example: '- Answer in short sentences\n- Never push without asking',
  },
}
