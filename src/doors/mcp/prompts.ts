type PromptArgument = { name: string; description: string; required: boolean }
export type VaultPrompt = {
  name: string
  title: string
  description: string
  arguments: PromptArgument[]
  text: (given: Record<string, string>) => string
}

const PROJECT_KEY: PromptArgument = {
  name: 'project_key',
  description: 'Repository URL or org/repo',
  required: true,
}

export const PROMPTS: readonly VaultPrompt[] = [
  {
    name: 'start_of_session',
    title: 'Start of session',
    description: 'Restore what is known about this project and about the user before any work begins.',
    arguments: [PROJECT_KEY],
    text: ({ project_key }) =>
      `Call get_project_context once, with project_key "${project_key}" and max_total_chars 6000. ` +
      'Tell me in at most five lines what we were doing last, which facts and preferences apply, and what you suggest next. ' +
      'If the memory is empty, say so and ask what this project is about.',
  },
  {
    name: 'record_what_we_fixed',
    title: 'Record what we just fixed',
    description:
      'Turn the problem that was just solved into a knowledge card, after checking that there is none yet.',
    arguments: [{ name: 'hint', description: 'What the card should be about', required: false }],
    text: ({ hint }) =>
      `Write down what we just solved${hint ? ` (${hint})` : ''} as a knowledge card. First call search_records with the error text ` +
      'and include_workspaces true; where a card already says this, improve it with update_card instead. Otherwise call ' +
      'record_card: title as somebody would search for it; symptom with the exact error text; fix_summary complete enough to act on; ' +
      'root_cause, steps {order, action, result}, environment versions and tags. Replace every secret by a placeholder such as ' +
      '<API_KEY>. Show me the card; do not share or publish it.',
  },
  {
    name: 'prepare_for_publishing',
    title: 'Prepare a card for publishing',
    description:
      'Bring a private card to the quality that the public library asks for, and publish it once the user agrees.',
    arguments: [{ name: 'card_id', description: 'The card', required: true }],
    text: ({ card_id }) =>
      `Read card ${card_id} with get_card. Check it as a stranger would: does the title name the failure, are symptom and fix_summary ` +
      'each a few full sentences in their own words, is there a root cause, a step or evidence, is anything in it private (names, ' +
      'hosts, paths, customers, secrets)? Propose the changes and, when I agree, make them with update_card. Then ask me whether to ' +
      'publish; only after my yes call publish_card. If it is refused, read the reasons, fix the card and try once more.',
  },
]
