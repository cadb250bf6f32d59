import type { DangerRuleId } from './rule.ts'

type Words = { why: string; safer: string }

/** The message for the writer of a card: why the text is dangerous, and how to say the same safely. */
export const DANGER_WORDS: Record<DangerRuleId, Words> = {
  agent_instruction: {
    why: 'This speaks to the agent that reads the card and tells it what to do or to hide.',
    safer: 'Describe the fix to a person: what to change and why. Describe an attack without quoting it.',
  },
  role_tag: {
    why: 'This imitates the marks of a conversation, so an agent can mistake it for a message of its user or operator.',
    safer: 'Name the mark in words, such as "the system tag of the chat template", and leave out the mark.',
  },
  tool_call: {
    why: 'This imitates a tool call or its result, so an agent can mistake it for one of its own.',
    safer: 'Say which tool is called with which fields in a sentence or a table.',
  },
  hidden_text: {
    why: 'A person does not see part of this text, but an agent reads it.',
    safer: 'Delete the invisible characters, comments and styles, and write visible text in one alphabet.',
  },
  remote_code: {
    why: 'This executes code that comes from elsewhere or is encoded, and nobody reads it before.',
    safer:
      'Name the package and its version, or tell the reader to download the file, read it, check its hash and run it.',
  },
  destruction: {
    why: 'This command destroys more than the problem needs, and cannot be undone.',
    safer: 'Name the exact folder, table or resource, and tell the reader to make a backup first.',
  },
  exfiltration: {
    why: 'This sends files, secrets or a conversation to somebody else.',
    safer:
      'Say what to look at on the reader’s own machine. If data must be sent, name only data without secrets.',
  },
  weakened_check: {
    why: 'This switches off a protection: certificates, signatures, permissions or host keys.',
    safer: 'Say how to satisfy the check: install the certificate or key, or set the exact permission.',
  },
  new_trust: {
    why: 'This makes a machine trust something new: a key, a registry, a certificate, a task or a server.',
    safer: 'Use the official source, and say how to verify the key or the source before it is trusted.',
  },
  download_host: {
    why: 'This downloads from a host that is not on the list of known hosts.',
    safer:
      'Link to the official release or registry. An admin can add a host in the policy (download_hosts).',
  },
  lookalike_package: {
    why: 'The name is nearly that of a widely used package. Such names are used to spread malware.',
    safer: 'Check the spelling. If you mean this package, say in the text what it is and who makes it.',
  },
  personal_data: {
    why: 'This looks like personal data: an e-mail address, a phone number or the folder of a person.',
    safer: 'Use a placeholder: user@example.com, <PHONE>, or ~/ in place of a home folder.',
  },
}
