import { KVAULT } from '../own-copy.ts'

export type Finding = {
  /** What was checked: a part of the set-up, or a client by its title. */
  what: string
  state: 'ok' | 'warn' | 'fail'
  detail: string
  /** What to do about it. */
  advice?: string
}

/** With its address: without it, `connect` may join another vault than the one that was checked. */
export const connectAdvice = (client: string, url: string): string =>
  `${KVAULT} connect ${client} --url ${url}`

export const ok = (what: string, detail: string): Finding => ({ what, state: 'ok', detail })
export const warn = (what: string, detail: string, advice: string): Finding => ({
  what,
  state: 'warn',
  detail,
  advice,
})
export const fail = (what: string, detail: string, advice: string): Finding => ({
  what,
  state: 'fail',
  detail,
  advice,
})
