import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildProgram } from '../support/build-program.ts'
import { dropOnCluster, makeClusterTemplate, NO_CITUS, startCluster } from '../support/cluster.ts'
import { makeTemplateFile } from '../support/global-setup.ts'

/** Two runs may share a cluster. */
const TEMPLATE = `vault_template_${process.pid}`

/** The cluster at CITUS_URL, or one of our own; each test file gets a database of its own on all its nodes. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.CITUS_URL
  if (!given && NO_CITUS) throw new Error(`${NO_CITUS}, and CITUS_URL names no cluster`)
  // Speed only: these tests do not crash the servers. Those that do start their own.
  const own = given ? undefined : startCluster({ fsync: 'off', full_page_writes: 'off' })
  const url = given ?? own?.url ?? ''
  await makeClusterTemplate(url, TEMPLATE)
  await buildProgram()
  project.provide('postgresUrl', url)
  project.provide('templateDatabase', TEMPLATE)
  project.provide('onCluster', true)
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-template-'))
  project.provide('templateFile', await makeTemplateFile(folder))
  return async () => {
    rmSync(folder, { recursive: true, force: true })
    if (own) own.destroy()
    else await dropOnCluster(url, TEMPLATE)
  }
}
