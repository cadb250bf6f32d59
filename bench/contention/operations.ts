/** Returns the answer. The benchmark itself counts failures of the server. */
export type Ask = (
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => Promise<Record<string, string>>

export type Operation = {
  name: string
  /** Makes the object that is written to, and returns its name. */
  prepare: (ask: Ask, name: string) => Promise<string>
  /** One write. `nonce` is new each time. */
  act: (ask: Ask, target: string, nonce: string) => Promise<unknown>
}

const draft = (title: string) => ({
  title: `The ${title} job stops with a timeout`,
  symptom: `After the upgrade the ${title} job stops with a timeout while it waits for the database lock.`,
  fix_summary: `Set the lock timeout of the ${title} job to ten seconds and let it begin again.`,
  tags: ['postgres', 'timeout'],
})

const idOf = (answer: Record<string, string>, field: string): string => answer[field] ?? ''
const nothing = async (_: Ask, name: string) => name
const newCard = async (ask: Ask, name: string) => idOf(await ask('POST', '/cards', draft(name)), 'card_id')
const newPublicCard = async (ask: Ask, name: string) => {
  const card = await newCard(ask, name)
  await ask('POST', `/cards/${card}/publish`)
  return card
}
const newWorkspace = async (ask: Ask, name: string) =>
  idOf(await ask('POST', '/workspaces', { name: `Team ${name}` }), 'workspace_id')
const newProject = async (ask: Ask, name: string) => {
  await ask('POST', '/project-context/events', event(`org/${name}`, 'The first event'))
  return `org/${name}`
}

const event = (project_key: string, content: string) => ({
  project_key,
  event_type: 'user_message',
  content,
})

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'append an event',
    prepare: newProject,
    act: (ask, project, nonce) => ask('POST', '/project-context/events', event(project, `Event ${nonce}`)),
  },
  {
    name: 'append a turn',
    prepare: newProject,
    act: (ask, project_key, nonce) =>
      ask('POST', '/project-context/turns', {
        project_key,
        user_message: `Please fix ${nonce}`,
        agent_report: 'It is fixed',
        summary: `The state after ${nonce}`,
      }),
  },
  {
    name: 'begin a project',
    prepare: nothing,
    act: (ask, name, nonce) =>
      ask('POST', '/project-context/events', event(name === 'one' ? 'org/begun' : `new/${nonce}`, 'First')),
  },
  {
    name: 'delete an event',
    prepare: newProject,
    act: async (ask, project, nonce) => {
      const { raw_id } = await ask('POST', '/project-context/events', event(project, `Event ${nonce}`))
      await ask('DELETE', `/project-context/events/${raw_id}`)
    },
  },
  {
    name: 'rename a project',
    prepare: newProject,
    act: (ask, project, nonce) =>
      ask('POST', '/project-context/projects/rename', {
        project_key: project,
        new_project_key: `x/${nonce}`,
      }),
  },
  {
    name: 'record a card',
    prepare: nothing,
    act: (ask, _, nonce) => ask('POST', '/cards', draft(nonce)),
  },
  {
    name: 'change a card',
    prepare: newCard,
    act: (ask, card, nonce) => ask('PATCH', `/cards/${card}`, { root_cause: `Because of ${nonce}` }),
  },
  {
    name: 'share and unpublish a card',
    prepare: newCard,
    act: async (ask, card) => {
      await ask('POST', `/cards/${card}/share`)
      await ask('POST', `/cards/${card}/unpublish`)
    },
  },
  {
    name: 'publish a card',
    prepare: newCard,
    act: (ask, card) => ask('POST', `/cards/${card}/publish`),
  },
  {
    name: 'delete a card and take it back',
    prepare: newCard,
    act: async (ask, card) => {
      await ask('DELETE', `/cards/${card}`)
      await ask('POST', `/cards/${card}/undelete`)
    },
  },
  {
    name: 'move a card',
    prepare: newCard,
    act: async (ask, card, nonce) => {
      const workspace_id = await newWorkspace(ask, nonce)
      await ask('POST', `/cards/${card}/move`, { workspace_id })
    },
  },
  {
    name: 'give feedback and take it back',
    prepare: newPublicCard,
    act: async (ask, card) => {
      await ask('POST', `/cards/${card}/feedback`, { kind: 'useful' })
      await ask('DELETE', `/cards/${card}/feedback`)
    },
  },
  {
    name: 'give a verdict',
    prepare: newPublicCard,
    act: (ask, card) => ask('POST', `/cards/${card}/verdicts`, { outcome: 'worked' }),
  },
  {
    name: 'say what a card cites',
    prepare: newCard,
    act: (ask, card, nonce) => ask('PUT', `/cards/${card}/cites`, { cites: [`npm:fastify@${nonce.length}`] }),
  },
  {
    name: 'make a workspace and rename it',
    prepare: newWorkspace,
    act: async (ask, workspace, nonce) => {
      await newWorkspace(ask, nonce)
      await ask('PATCH', `/workspaces/${workspace}`, { name: `Team ${nonce}` })
    },
  },
  {
    name: 'invite somebody',
    prepare: newWorkspace,
    act: (ask, workspace, nonce) =>
      ask('POST', `/workspaces/${workspace}/invites`, { email: `${nonce}@example.com`, role: 'viewer' }),
  },
  {
    name: 'make a key',
    prepare: nothing,
    act: (ask, _, nonce) => ask('POST', '/auth/api-keys', { name: nonce }),
  },
  {
    name: 'keep raw material',
    prepare: nothing,
    act: (ask, _, nonce) => ask('POST', '/raw-materials', { title: nonce, content: `Notes of ${nonce}` }),
  },
  {
    name: 'change settings',
    prepare: nothing,
    act: (ask, _, nonce) => ask('PATCH', '/auth/me', { display_name: `Name ${nonce}` }),
  },
  {
    name: 'search the library',
    prepare: newPublicCard,
    act: (ask) => ask('POST', '/search', { query: 'the job stops with a timeout', scope: 'public' }),
  },
]
