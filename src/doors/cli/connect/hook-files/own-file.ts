import { ClientError, EXIT } from '../../exit-codes.ts'
import type { HookFile } from './hook-file.ts'

/** A file that is ours alone: the agent reads every file of its folder. */
export function ownFile(file: () => string, content: () => string, mark: string): HookFile {
  const checked = (text: string | null): string | null => {
    if (text !== null && !text.includes(mark))
      throw new ClientError(`${file()} was not written by kvault, so it is left alone.`, EXIT.byHand)
    return text
  }
  return {
    file,
    at: (path) => ownFile(() => path, content, mark),
    hasOurs: (text) => text?.includes(mark) ?? false,
    withOurs: (text) => {
      checked(text)
      return content()
    },
    withoutOurs: (text) => (text.includes(mark) ? null : text),
  }
}
