const TERMINAL_CODES = new RegExp(
  [
    // Colours and cursor moves.
    '\\x1b\\[[0-9;:?<=>]*[ -/]*[@-~]',
    // Titles and links.
    '\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?',
    // The choice of letters, which ends each colour of `tput`.
    '\\x1b[(-/][0-~]',
    // Other escapes of two characters.
    '\\x1b[@-_]',
  ].join('|'),
  'g',
)

/** A text without the colours, titles and cursor moves that a program writes for a terminal. */
export const withoutTerminalCodes = (text: string): string => text.replace(TERMINAL_CODES, '')
