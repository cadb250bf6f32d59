import { Agent } from 'node:http'
import { type Flood, send } from './send.ts'

/** Sends hostile requests on each connection as fast as they are answered. Reports how many it sent. */
async function flood({ url, attacks, connections, seconds }: Flood): Promise<number> {
  const until = performance.now() + seconds * 1000
  let sent = 0
  const attackOn = async (from: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = from; performance.now() < until; i++) {
      const chosen = attacks[i % attacks.length]
      if (chosen) await send(url, agent, chosen.attack, chosen.headers).catch(() => 0)
      sent++
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => attackOn(i)))
  return sent
}

process.once('message', async (told: Flood) => {
  const sent = await flood(told)
  process.send?.(sent, () => process.disconnect())
})
