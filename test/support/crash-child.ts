/** The program in a process of its own that ends itself, without a word, at the n-th look at the clock after `arm`. */
import pino from 'pino'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'

let looksLeft = Number.POSITIVE_INFINITY

const app = await buildApp(readConfig(process.env), {
  log: pino({ level: 'silent' }),
  now: () => {
    looksLeft -= 1
    if (looksLeft <= 0) process.kill(process.pid, 'SIGKILL')
    return new Date()
  },
})
process.on('message', (looks: number) => {
  looksLeft = looks
  process.send?.('armed')
})
process.on('disconnect', () => process.exit())
process.send?.(await app.server.listen({ host: '127.0.0.1', port: 0 }))
