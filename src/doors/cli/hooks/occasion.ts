/** The moments at which the vault comes to an agent. A person switches each on and off by this name. */
export const MOMENTS = ['start', 'prompt', 'failure', 'compact', 'capture'] as const
export type Moment = (typeof MOMENTS)[number]

/** The moments at which something may be injected. */
export type RecallMoment = Exclude<Moment, 'capture'>

/** A command that the agent has run. `exitCode` is null where the agent does not tell it. */
export type CommandRun = {
  command: string
  exitCode: number | null
  output: string
  /** The agent's own name for this call, by which its transcript tells more. */
  id?: string | undefined
}

/** What was said in an exchange, as far as the agent hands it over. */
export type Words = {
  prompt?: string | undefined
  reply?: string | undefined
  /** A file with the conversation, for agents that hand over nothing else. */
  transcript?: string | undefined
}

/** What has happened in an agent, in words that belong to no agent. */
export type Happening =
  /** `after`: a new session, one that goes on, or one that has just been compacted. */
  | { kind: 'start'; after: 'nothing' | 'pause' | 'compaction' }
  | { kind: 'prompt'; prompt: string }
  | { kind: 'command'; run: CommandRun }
  | { kind: 'edit'; files: string[] }
  | { kind: 'reply'; reply: string }
  | { kind: 'compact' }
  | { kind: 'stop'; words: Words }
  | { kind: 'end' }

export type Occasion = Happening & { sessionId?: string | undefined; folder?: string | undefined }

/** What the hook says to its agent: what it prints, and the code it ends with. */
export type Answer = { output: string; exitCode: number }

/** Nothing was said. Every agent takes this as "go on". */
export const SILENCE: Answer = { output: '', exitCode: 0 }

export type HookAgent = {
  name: string
  /** Undefined for what the vault has nothing to do with. */
  read: (event: string, payload: Payload) => Occasion | undefined
  /** How a text is injected at this event; undefined where the agent cannot be told anything then. */
  inject: (event: string, text: string) => Answer | undefined
}

/** What an agent writes to the standard input of a hook. Nothing in it is trusted to have a form. */
export type Payload = Record<string, unknown>
