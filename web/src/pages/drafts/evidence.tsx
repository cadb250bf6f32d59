import type { CardDraft } from '../../api/drafts.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** The two outputs and what was changed in between. */
export function Evidence({ draft: { evidence } }: { draft: CardDraft }) {
  const { command, exit_code, failure, success, attempts, files, commands } = evidence
  const changes = [...files, ...commands]
  return (
    <div className="grid min-w-0 content-start gap-3">
      <Output title={`Failed ${times(attempts)}${exit_code ? `, exit code ${exit_code}` : ''}`}>
        {`$ ${command}\n${failure}`}
      </Output>
      {changes.length > 0 && (
        <div>
          <h3 className="text-sm font-medium">Changed in between</h3>
          <ul className="mt-1 grid gap-0.5 font-mono text-xs text-soft">
            {changes.map((change) => (
              <li key={change} className="wrap-anywhere">
                {change}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Output title="Succeeded">{`$ ${command}\n${success}`}</Output>
    </div>
  )
}

/** It scrolls, so the keyboard must reach it. */
function Output({ title, children }: { title: string; children: string }) {
  return (
    <section aria-label={title}>
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-medium">{title}</h3>
        <CopyButton text={children} label={`Copy: ${title}`} />
      </div>
      <pre
        tabIndex={0}
        className="max-h-48 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap"
      >
        {children}
      </pre>
    </section>
  )
}
