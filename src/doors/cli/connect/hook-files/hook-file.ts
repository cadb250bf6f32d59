/** A file of an agent with our hooks or rules in it. Nothing else in it is ever changed. */
export type HookFile = {
  file: () => string
  /** The same at another path: a variable of the agent may have been different when it was written. */
  at: (path: string) => HookFile
  /** The text with ours in it, as it is now. */
  withOurs: (text: string | null) => string
  /** The text without ours; null if the file had nothing else. */
  withoutOurs: (text: string) => string | null
  hasOurs: (text: string | null) => boolean
}
