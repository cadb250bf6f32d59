/** The moments at which the vault comes to an agent. A person switches each on and off by this name. */
export const MOMENTS = ['start', 'prompt', 'failure', 'compact', 'capture'] as const
export type Moment = (typeof MOMENTS)[number]

/** The moments at which something may be injected. */
export type RecallMoment = Exclude<Moment, 'capture'>

/** A command that the agent has executed. `exitCode` is null if the agent does not pass it. */
export type CommandRun = {
  command: string
  exitCode: number | null
  output: string
  /** The agent's id of this call, by which it is found in the transcript. */
  id?: string | undefined
}

/** What was said in an exchange, as far as the agent passes it. */
export type Words = {
  prompt?: string | undefined
  reply?: string | undefined
  /** A file with the conversation, for agents that pass nothing else. */
  transcript?: string | undefined
}

/** What has happened in an agent, in a form that is the same for all agents. */
export type Happening =
  /** `after`: a new session, a resumed one, or one that has just been compacted. */
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

/** An empty answer. Every agent continues after it. */
export const SILENCE: Answer = { output: '', exitCode: 0 }

export type HookAgent = {
  name: string
  /** Undefined for events that do not concern the vault. */
  read: (event: string, payload: Payload) => Occasion | undefined
  /** How a text is injected at this event; undefined if the agent does not allow it. */
  inject: (event: string, text: string) => Answer | undefined
}

/** What an agent writes to the standard input of a hook. Its form is not trusted. */
export type Payload = Record<string, unknown>
