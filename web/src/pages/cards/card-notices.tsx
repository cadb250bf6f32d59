import type { DangerRuleId } from '#server/review/rule.ts'
import type { Card } from '../../api/types.ts'
import { loadable } from '../../lib/loadable.tsx'
import { useMe } from '../../session.ts'
import { Notice } from '../../ui/states.tsx'
import * as strings from './strings.ts'

/** Few cards were refused or hidden, so what they say loads on demand. */
const notices = loadable(() => import('./refused-notices.tsx'))

/** Tells whether a team reads the card and nobody else: what the library asks for means nothing there. */
export const isOfTeamAlone = ({ status, readers }: Card): boolean =>
  status === 'published' && readers.kind === 'members'

/** Returns the reasons of the last review that its readers have to know. */
export const reasonsFor = (card: Card): Card['review']['reasons'] =>
  isOfTeamAlone(card)
    ? card.review.reasons.filter(({ rule, severity }) => severity === 'block' || rule === 'no_secrets')
    : card.review.reasons

/** Shows the problems of the last review. */
export const ReviewNote = ({ card }: { card: Card }) =>
  card.review.status === 'rejected' && (!isOfTeamAlone(card) || reasonsFor(card).length > 0) ? (
    <Refused card={card} />
  ) : (
    <ReaderNote card={card} />
  )

function Refused({ card }: { card: Card }) {
  const { value } = notices.useLoaded()
  return value && <value.RefusedNotice card={card} />
}

export const HiddenNotice = ({ card }: { card: Card }) =>
  card.hidden_since === undefined ? null : <Hidden card={card} since={card.hidden_since} />

function Hidden(hidden: { card: Card; since: string }) {
  const { value } = notices.useLoaded()
  return value && <value.Hidden {...hidden} />
}

const RULES: Readonly<Record<DangerRuleId, string>> = {
  agent_instruction: strings.findingOrders,
  role_tag: strings.findingConversation,
  tool_call: strings.findingToolCall,
  hidden_text: strings.findingHiddenText,
  remote_code: strings.findingDownloadAndRun,
  destruction: strings.findingDelete,
  exfiltration: strings.findingSend,
  weakened_check: strings.findingCheckOff,
  new_trust: strings.findingTrust,
  download_host: strings.findingUnknownHost,
  lookalike_package: strings.findingPackageName,
  personal_data: strings.findingPersonal,
}

function ReaderNote({ card }: { card: Card }) {
  const me = useMe()
  if (card.owner_id === me.user_id) return null
  const warned = card.review.reasons.filter(({ severity }) => severity === 'warn' || severity === 'block')
  const rules = [...new Set(warned.map(({ rule }) => rule))].filter(isDangerRule)
  const speaks = card.provenance.contains_instructions === true
  if (rules.length === 0 && !speaks) return null
  return (
    <Notice>
      <p>{strings.readerWarning}</p>
      <ul className="mt-1 list-disc pl-4">
        {speaks && rules.every((rule) => !SPEAKS.has(rule)) && <li>{RULES.agent_instruction}</li>}
        {rules.map((rule) => (
          <li key={rule}>{RULES[rule]}</li>
        ))}
      </ul>
    </Notice>
  )
}

const isDangerRule = (rule: string): rule is DangerRuleId => Object.hasOwn(RULES, rule)

const SPEAKS: ReadonlySet<DangerRuleId> = new Set(['agent_instruction', 'role_tag', 'tool_call'])
