/** A file of an agent in which hooks or rules of ours stand. Nothing else in it is ever touched. */
export type HookFile = {
  file: () => string
  /** The text with ours in it, as it is now. */
  withOurs: (text: string | null) => string
  /** The text without; null where the file was ours alone. */
  withoutOurs: (text: string) => string | null
  hasOurs: (text: string | null) => boolean
}
