/** Exit codes for scripts; must stay in step with docs/guide/cli.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** No credential, or a refused one. */
  notSignedIn: 3,
  /** Something must be done by hand; the output says what. */
  byHand: 4,
} as const

/** An expected failure: one line for the person, one code for scripts. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The vault refused; `code` is the vault's own error code. */
export class Refusal extends CommandError {
  readonly code: string | undefined

  constructor(message: string, exitCode: number, code: string | undefined) {
    super(message, exitCode)
    this.code = code
  }
}

/** An error in one client's file or entry. A command for several clients continues with the next one. */
export class ClientError extends CommandError {}
