import type { WholeMatter } from '../../api/moderation.ts'

type Content = NonNullable<WholeMatter['content']>

const lines = (content: Content): [string, string][] =>
  [
    ['Symptom or goal', content.symptom],
    ['Fix or solution', content.fix_summary],
    ['Root cause', content.root_cause ?? ''],
    ...content.steps.map((step, i): [string, string] => [
      `Step ${i + 1}`,
      [step.action, step.result].filter(Boolean).join('\n→ '),
    ]),
    ['Notes', content.body ?? ''],
    ['Where it holds', content.scope_notes ?? ''],
    [
      'Environment',
      Object.entries(content.environment)
        .map((pair) => pair.join(' '))
        .join('\n'),
    ],
    ['Tags', content.tags.join(', ')],
    ['Cites', content.cites.join('\n')],
    ['Payload', content.card_payload ? JSON.stringify(content.card_payload, null, 2) : ''],
    ...content.evidences.map(({ kind, content: text }): [string, string] => [`Evidence: ${kind}`, text]),
  ].filter((line): line is [string, string] => line[1] !== '')

/** The text as it is written. No picture is loaded, and nothing is a link. */
export const ModeratedText = ({ content }: { content: Content }) => (
  <dl className="grid gap-4">
    {lines(content).map(([name, text], index) => (
      <div key={index}>
        <dt className="text-xs text-faint">{name}</dt>
        <dd className="mt-1 rounded-md bg-sunken px-3 py-2 font-mono text-xs wrap-break-word whitespace-pre-wrap">
          {text}
        </dd>
      </div>
    ))}
  </dl>
)
