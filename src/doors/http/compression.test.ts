import { readdirSync, readlinkSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveVault, liveVault } from '../../../test/support/live.ts'
import { describeWhere, NOT_LINUX } from '../../../test/support/skips.ts'

const ASSET = 'swagger-ui-bundle.js'

/** How often this process has the asset open. */
function openDescriptors(): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      // Closed since the folder was read.
      return ''
    }
  })
  return targets.filter((target) => target.endsWith(ASSET)).length
}

/** Leaves as soon as the answer begins. */
const abortedDownload = (url: string, encoding: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: { 'accept-encoding': encoding } }, (answer) => {
      answer.on('error', () => {})
      request.destroy()
      resolve(answer.headers['content-encoding'])
    })
    request.once('error', reject)
  })

describeWhere('compressed downloads', NOT_LINUX, () => {
  let vault: LiveVault
  beforeAll(async () => {
    vault = await liveVault()
  })
  afterAll(() => vault.close())

  test('a download that the caller aborts leaves no file open', async () => {
    const url = `${vault.url}/docs/assets/${ASSET}`
    for (const encoding of ['br', 'gzip'])
      for (let n = 0; n < 5; n++) expect(await abortedDownload(url, encoding)).toBe(encoding)
    for (let attempt = 0; attempt < 100 && openDescriptors() > 0; attempt++) await sleep(20)
    expect(openDescriptors()).toBe(0)
  })
})
