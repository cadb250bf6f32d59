// Runs on the Node of any runner, 20 or newer, without packages.
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'

const { KVAULT_URL, CHECK_PATH, CHECK_FAILS, KVAULT_COMMAND, GITHUB_STEP_SUMMARY } = process.env
/** An address that was copied from a browser ends with a slash. */
const vault = KVAULT_URL?.replace(/\/+$/, '')

/** The exit codes of kvault check with a report. npm ends with 1 as well where it cannot fetch the command. */
const WITH_REPORT = [0, 1]

/** A card is somebody's text: what could be markup in the summary is taken for what it is, text. */
const plain = (text) => text.replace(/[<>&`*_[\]|\\\n]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const [program, ...args] = KVAULT_COMMAND ? KVAULT_COMMAND.split(' ') : ['npx', '-y', `${vault}/kvault.tgz`]

/** On Windows npx is a script, which only the shell starts. The shell takes what is in quotes as one word. */
const isWindows = process.platform === 'win32'
const words = [...args, 'check', CHECK_PATH, '--json'].map((word) => (isWindows ? `"${word}"` : word))
const { status, stdout, stderr, error } = spawnSync(program, words, {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
  shell: isWindows,
})

function reportIn(text) {
  try {
    const report = JSON.parse(text)
    return Array.isArray(report.cards) && typeof report.counts.older === 'number' ? report : undefined
  } catch {
    return undefined
  }
}

const lineOf = (card) => {
  const reasons = card.cites
    .filter(({ fits }) => fits === card.fits)
    .map(({ cite, why }) => `${cite}: ${why}`)
  return `- [${plain(card.title)}](${vault}/cards/${card.card_id}): ${plain(reasons.join('; '))}\n`
}

const report = WITH_REPORT.includes(status) ? reportIn(stdout) : undefined

if (report) {
  const { cards, counts } = report
  const lines = cards.filter(({ fits }) => fits === 'older').map(lineOf)
  const rest = `Fit exactly: ${counts.exact}. Likely to fit: ${counts.likely}. Not decided: ${counts.unknown}.\n`
  appendFileSync(
    GITHUB_STEP_SUMMARY,
    `## Knowledge Vault\n\nCards that no longer fit: ${counts.older}\n\n${lines.join('')}\n${rest}`,
  )
  console.log(`Cards that no longer fit: ${counts.older}`)
  if (CHECK_FAILS !== 'false') process.exitCode = status
} else {
  // A vault that is away is no fault of the change that is tested.
  const reason = error?.message ?? (stderr.trim() || `kvault ended with ${status} and no report`)
  console.log(`::warning::Knowledge Vault: ${reason.replaceAll('\n', ' ')}`)
}
