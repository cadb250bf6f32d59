import { type Agent, request } from 'node:http'
import type { Attack } from './targets.ts'

/** The orders for the flooding process. */
export type Flood = {
  url: string
  attacks: { attack: Attack; headers: Record<string, string> }[]
  connections: number
  seconds: number
}

/** Sends one request and returns its status. */
export function send(
  url: string,
  agent: Agent,
  attack: Attack,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const type = attack.type === '' ? {} : { 'content-type': attack.type }
    const outgoing = request(
      url + attack.path,
      {
        agent,
        method: attack.method,
        headers: { ...headers, ...type, 'content-length': attack.body.length },
      },
      (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode ?? 0))
        answer.once('error', reject)
      },
    )
    outgoing.once('error', reject)
    outgoing.once('close', () => reject(new Error('closed')))
    outgoing.end(attack.body)
  })
}
