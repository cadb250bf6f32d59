import { join } from 'node:path'
import { accountOf } from '../account.ts'
import type { McpClient } from '../clients/client.ts'
import { installedClients } from '../clients/installed.ts'
import { HOOK_PLANS } from '../connect/hook-files/plans.ts'
import { hooksAreThere } from '../connect/hooks.ts'
import { findProject, type NamedProject } from '../hooks/allowed-projects.ts'
import type { Moment } from '../hooks/occasion.ts'
import { lastRun } from '../hooks/run-log.ts'
import { isFor, pauseOf, read, waitingFiles } from '../hooks/spool/spool.ts'
import { everySwitch, isOff, personsSwitches } from '../hooks/switches.ts'
import { KVAULT } from '../own-copy.ts'
import type { Profile } from '../profile.ts'
import { PROJECT_FILE, readProjectFiles } from '../project-file.ts'
import { keepingAdvice } from '../project-name.ts'
import { unreadableText } from '../settings-file.ts'
import { connectAdvice, type Finding, fail, ok, warn } from './finding.ts'

/** The vault may have been away for a moment only, and then no other line says what to fix. */
const AFTER_A_FAILURE =
  'Fix what fails above. If nothing does, it is over: this goes when the hook runs again.'

const AFTER_A_LOSS = 'What happened then may be missing from memory. This is said for a day.'

const timeOf = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`

/** How one moment last ran: when, how long it took, and how many characters it was about. */
function checkMoment({ name, title }: McpClient, moment: Moment, off: readonly string[]): Finding {
  const what = `${title}, ${moment}`
  if (isOff(off, name, moment)) return ok(what, 'switched off here')
  const last = lastRun(name, moment)
  if (!last) return ok(what, 'has not run yet')
  const when = `${timeOf(last.at)}, ${last.ms} ms`
  if (last.error) return fail(what, `${when}: ${last.error}`, AFTER_A_FAILURE)
  const ran = `${when}, ${last.chars} characters`
  if (!last.lost) return ok(what, ran)
  return warn(what, `${ran}; before that, ${timeOf(last.lost.at)}: ${last.lost.error}`, AFTER_A_LOSS)
}

function checkOne(client: McpClient, url: string, off: readonly string[]): Finding[] {
  const what = `Hooks of ${client.title}`
  try {
    const areThere = hooksAreThere(client.name)
    if (areThere === undefined) return []
    if (!areThere) return [warn(what, 'none', connectAdvice(client.name, url))]
  } catch (error) {
    return [fail(what, error instanceof Error ? error.message : String(error), 'Repair the file.')]
  }
  const moments = HOOK_PLANS[client.name]?.moments ?? []
  const rows = moments.map((moment) => checkMoment(client, moment, off))
  const hasRun = moments.some((moment) => lastRun(client.name, moment))
  const head = hasRun
    ? ok(what, 'installed')
    : warn(what, 'installed, never run', `Start a session of ${client.title}.`)
  return [head, ...rows]
}

/** What waits to be sent. What belongs to another vault or another account does not go with the next hook. */
function checkWaiting({ url, apiKey, userId }: Partial<Profile> & { url: string }): Finding[] {
  const waiting = waitingFiles().flatMap((name) => read(name) ?? [])
  const account = apiKey ? accountOf({ apiKey, userId }) : undefined
  const { length: own } = waiting.filter((one) =>
    account === undefined ? one.url === url : isFor(one, url, account),
  )
  const others = waiting.length - own
  const exchanges = own === 1 ? '1 exchange is not sent yet' : `${own} exchanges are not sent yet`
  const pause = account === undefined ? undefined : pauseOf(url, account)
  const ownWaiting = pause
    ? fail(
        'Waiting',
        `${exchanges}, because the vault refuses them: ${pause.reason}`,
        `They are kept, and tried again after ${timeOf(new Date(pause.until).toISOString())}.`,
      )
    : warn('Waiting', exchanges, 'They go with the next hook.')
  return [
    ...(own > 0 ? [ownWaiting] : []),
    ...(others > 0
      ? [
          ok(
            'Waiting',
            `${others === 1 ? '1 exchange waits' : `${others} exchanges wait`} for another vault or account`,
          ),
        ]
      : []),
  ]
}

/** A rename would part a folder from what agents remember of it, and so does a name that does not count. */
async function checkProject(folder: string, profile: Partial<Profile> & { url: string }): Promise<Finding[]> {
  const { withheld } = await findProject(folder, profile).catch((): { withheld?: NamedProject } => ({}))
  if (withheld)
    return [
      warn(
        'Project',
        `the project_key in ${join(withheld.folder, PROJECT_FILE)} does not count: you have not allowed it here`,
        `If you want its memory here: ${KVAULT} allow-project`,
      ),
    ]
  const advice = keepingAdvice(folder)
  return advice ? [warn('Project', 'no remote: its memory is found by the path of the folder', advice)] : []
}

/** Every hook of every agent here, and what waits to be sent. */
export async function checkHooks(profile: Partial<Profile> & { url: string }): Promise<Finding[]> {
  const { off: ofProject, unreadable } = readProjectFiles(process.cwd())
  const off = everySwitch(ofProject)
  const { unreadable: ofPerson } = personsSwitches()
  return [
    ...(ofPerson === undefined
      ? []
      : [
          fail(
            'Your switches',
            unreadableText(ofPerson),
            'Repair or delete it. Until then all hooks are off.',
          ),
        ]),
    ...unreadable.map((file) =>
      fail('Project file', unreadableText(file), 'Repair it. Until then all hooks are off here.'),
    ),
    ...(await checkProject(process.cwd(), profile)),
    ...installedClients().flatMap((client) => checkOne(client, profile.url, off)),
    ...checkWaiting(profile),
  ]
}
