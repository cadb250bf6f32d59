/** What a script can rely on; documented in docs/guide/cli.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** No credential, or one that the vault does not accept. */
  notSignedIn: 3,
  /** Something is left to do by hand; the output says what. */
  byHand: 4,
} as const

/** An expected end of a command: one line for the person, one code for the script. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The vault refused. `code` is its own word for why. */
export class Refusal extends CommandError {
  readonly code: string | undefined

  constructor(message: string, exitCode: number, code: string | undefined) {
    super(message, exitCode)
    this.code = code
  }
}

/** Only this client cannot be done, because of its own file or entry. A command for several goes on with the next. */
export class ClientError extends CommandError {}
