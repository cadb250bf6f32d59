import { CopyBlock } from '../../ui/copy-button.tsx'
import { Notice } from '../../ui/states.tsx'

/** A new key, to be copied now. */
export const ShownKey = ({ apiKey }: { apiKey: string }) => (
  <div className="grid gap-3">
    <CopyBlock text={apiKey} label="API key" />
    <Notice tone="warn">
      This is the only time the key is shown. Keep it out of cards and repositories.
    </Notice>
  </div>
)
