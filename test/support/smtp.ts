import { createRequire } from 'node:module'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { freePort } from './postgres.ts'

type Connection = { _setListeners: (then: () => void) => void; connectionReady: () => void; init: () => void }
const { SMTPConnection } = createRequire(import.meta.url)('smtp-server/lib/smtp-connection.js') as {
  SMTPConnection: { prototype: Connection }
}

/** Greets at once. The library waits 100 ms for clients that speak too soon, and the tests send hundreds of mails. */
SMTPConnection.prototype.init = function () {
  this._setListeners(() => this.connectionReady())
}

export type ReceivedMail = Email & { envelope: { from: string; to: string[] }; raw: string }

export type SmtpServer = {
  url: string
  mails: ReceivedMail[]
  /** Addresses that the server turns away, as sender and as receiver, and with which code. */
  refuse: Map<string, number>
  /** What the server waits for before it accepts a mail that it has got. */
  accept: { after: Promise<void> }
  /** The mail that fits, as soon as it is there; the second one for `count` 2, and so on. */
  mail: (fits: (mail: ReceivedMail) => boolean, count?: number) => Promise<ReceivedMail>
  mailTo: (address: string, subject?: string, count?: number) => Promise<ReceivedMail>
  stop: () => Promise<void>
  start: () => Promise<void>
}

const envelopeOf = ({ envelope }: SMTPServerSession) => ({
  from: envelope.mailFrom ? envelope.mailFrom.address : '',
  to: envelope.rcptTo.map(({ address }) => address),
})

/** A real mail server on a free loopback port that keeps what it gets. */
export async function startSmtp(): Promise<SmtpServer> {
  const port = await freePort()
  const mails: ReceivedMail[] = []
  const refuse = new Map<string, number>()
  const accept = { after: Promise.resolve() }
  const waiting = new Set<() => void>()
  let server: SMTPServer | undefined

  const refusalOf = (address: string) => {
    const responseCode = refuse.get(address)
    if (responseCode === undefined) return undefined
    // Many servers repeat an address in small letters.
    return Object.assign(new Error(`<${address.toLowerCase()}> is turned away`), { responseCode })
  }

  const make = () =>
    new SMTPServer({
      authOptional: true,
      // Nobody asks who 127.0.0.1 is.
      disableReverseLookup: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      // Otherwise an answer in two pieces waits 40 ms until the client's system has confirmed the first.
      noDelay: true,
      closeTimeout: 100,
      onMailFrom: ({ address }, _session, done) => done(refusalOf(address)),
      onRcptTo: ({ address }, _session, done) => done(refusalOf(address)),
      async onData(stream, session, done) {
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk)
        const raw = Buffer.concat(chunks)
        mails.push({ ...(await PostalMime.parse(raw)), envelope: envelopeOf(session), raw: raw.toString() })
        for (const look of waiting) look()
        await accept.after
        done()
      },
    })

  const start = () =>
    new Promise<void>((resolve, reject) => {
      if (server) return resolve()
      server = make()
      server.on('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  const stop = () =>
    new Promise<void>((resolve) => {
      if (!server) return resolve()
      server.close(() => resolve())
      server = undefined
    })
  const mail: SmtpServer['mail'] = (fits, count = 1) =>
    new Promise((resolve) => {
      const look = () => {
        const found = mails.filter(fits)[count - 1]
        if (!found) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  await start()
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse,
    accept,
    mail,
    mailTo: (address, subject, count) =>
      mail(
        ({ envelope, subject: has }) =>
          envelope.to.includes(address) && (subject === undefined || has === subject),
        count,
      ),
    stop,
    start,
  }
}
