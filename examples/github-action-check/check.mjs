// Runs on the Node of any runner, 20 or newer, without packages.
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'

const { KVAULT_URL, CHECK_PATH, CHECK_FAILS, KVAULT_COMMAND, GITHUB_STEP_SUMMARY } = process.env

/** The exit code of kvault check for a finding. Every other one but 0 means that it could not check. */
const SOME_NO_LONGER_FIT = 1

/** A card is somebody's text: what could be markup in the summary is taken for what it is, text. */
const plain = (text) => text.replace(/[<>&`*_[\]|\\\n]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const [program, ...args] = KVAULT_COMMAND
  ? KVAULT_COMMAND.split(' ')
  : ['npx', '-y', `${KVAULT_URL}/kvault.tgz`]
const { status, stdout, stderr, error } = spawnSync(program, [...args, 'check', CHECK_PATH, '--json'], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
})

const lineOf = (card) => {
  const reasons = card.cites
    .filter(({ fits }) => fits === card.fits)
    .map(({ cite, why }) => `${cite}: ${why}`)
  return `- [${plain(card.title)}](${KVAULT_URL}/cards/${card.card_id}): ${plain(reasons.join('; '))}\n`
}

if (status === 0 || status === SOME_NO_LONGER_FIT) {
  const { cards, counts } = JSON.parse(stdout)
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
  const reason = error?.message ?? (stderr.trim() || `kvault ended with ${status}`)
  console.log(`::warning::Knowledge Vault: ${reason.replaceAll('\n', ' ')}`)
}
