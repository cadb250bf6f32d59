import type { Settings } from '../../api/settings.ts'
import { formatNumber } from '../../lib/format.ts'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'

const LIMITS = [0, 25, 50, 100, 250, 500]

type Props = { settings: Settings; onChange: (part: Partial<Settings>) => void }

/** Whether recall may search the library, and for how much. Nothing is spent before a limit is chosen. */
export function AgentLibrary({ settings, onChange }: Props) {
  const limit = settings.agent_library_monthly_credits
  const limits = [...new Set([...LIMITS, limit])].sort((a, b) => a - b)
  return (
    <Section title="What agents get by themselves">
      <div className="grid gap-4">
        <Checkbox
          label="Also look in the public library"
          hint="When a command fails or you ask something, hooks look in your memory, your cards and those of your teams. With this on they also look in the library where those have nothing, at the price of a public search."
          checked={settings.agent_library}
          onChange={(event) => onChange({ agent_library: event.target.checked })}
        />
        {settings.agent_library && (
          <SelectField
            label="Credits a month, at most"
            hint="Calendar months, UTC. Your credit history shows what was found and paid."
            value={String(limit)}
            onChange={(event) => onChange({ agent_library_monthly_credits: Number(event.target.value) })}
          >
            {limits.map((credits) => (
              <option key={credits} value={credits}>
                {credits === 0 ? 'None: nothing is spent' : formatNumber(credits)}
              </option>
            ))}
          </SelectField>
        )}
      </div>
    </Section>
  )
}
