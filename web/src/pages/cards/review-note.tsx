import type { Card } from '../../api/types.ts'
import { useMe } from '../../session.ts'
import { Notice } from '../../ui/states.tsx'
import { AskModerators } from '../moderation/ask-moderators.tsx'

/** Says what the last review found wrong; to readers of others' cards also what it only marks. */
export function ReviewNote({ card }: { card: Card }) {
  if (card.review.status !== 'rejected') return <ReaderNote card={card} />
  return (
    <Notice tone="warn">
      <p className="font-medium">
        {card.status === 'published'
          ? 'Published, but its last review found something.'
          : 'The last review refused it.'}
      </p>
      <ul className="mt-1 list-disc pl-4">
        {card.review.reasons.map((reason) => (
          <li key={reason.rule + reason.message}>{reason.message}</li>
        ))}
      </ul>
      <AskModerators card={card} />
    </Notice>
  )
}

const RULES: Record<string, string> = {
  agent_instruction: 'sentences that speak to agents',
  role_tag: 'marks of a conversation with an agent',
  tool_call: 'text in the form of a tool call',
  hidden_text: 'text that is easily overlooked',
  remote_code: 'commands that execute what they download',
  destruction: 'commands that delete or overwrite',
  exfiltration: 'commands that send data elsewhere',
  weakened_check: 'a check that is switched off',
  new_trust: 'a new key, registry or certificate to trust',
  download_host: 'downloads from a host that is not well known',
  lookalike_package: 'a package whose name is close to a well-known one',
  personal_data: 'an address, phone number or home folder',
}

/** Calm: a marked card is no bad card, but who follows it should look where. */
function ReaderNote({ card }: { card: Card }) {
  const me = useMe()
  if (card.owner_id === me.user_id) return null
  const warned = card.review.reasons.filter(({ severity }) => severity === 'warn' || severity === 'block')
  const rules = [...new Set(warned.map(({ rule }) => rule))]
  const speaks = card.provenance.contains_instructions === true
  if (rules.length === 0 && !speaks) return null
  return (
    <Notice>
      <p>Look twice before you, or an agent of yours, follow this card. The review marks:</p>
      <ul className="mt-1 list-disc pl-4">
        {speaks && rules.every((rule) => !SPEAKS.has(rule)) && <li>{RULES.agent_instruction}</li>}
        {rules.map((rule) => (
          <li key={rule}>
            {RULES[rule] ?? rule} <span className="font-mono text-xs text-faint">{rule}</span>
          </li>
        ))}
        {card.provenance.contains_instructions_note && (
          <li>
            {RULES.agent_instruction}: {card.provenance.contains_instructions_note}
          </li>
        )}
      </ul>
    </Notice>
  )
}

const SPEAKS = new Set(['agent_instruction', 'role_tag', 'tool_call'])
