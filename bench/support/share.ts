import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PERIOD_US = 100_000

/** Control groups of the second version, then of the first. */
const HIERARCHIES = [
  {
    root: '/sys/fs/cgroup',
    sign: 'cgroup.controllers',
    limit: 'cpu.max',
    quota: (us: number) => `${us} ${PERIOD_US}`,
  },
  { root: '/sys/fs/cgroup/cpu', sign: 'cpu.cfs_quota_us', limit: 'cpu.cfs_quota_us', quota: String },
]

export type Limit = {
  change: (share: number) => void
  /** After the process has ended. */
  remove: () => void
}

/**
 * Limits a process, and those that it starts, to a part of one core, as a container would. So a small machine can show
 * what a second node would add. Returns undefined if the system does not allow it.
 */
export function limitTo(share: number, pid: number): Limit | undefined {
  const hierarchy = HIERARCHIES.find(({ root, sign }) => existsSync(join(root, sign)))
  if (!hierarchy) return undefined
  const group = join(hierarchy.root, `knowledge-vault-bench-${pid}`)
  const change = (share: number) =>
    writeFileSync(join(group, hierarchy.limit), hierarchy.quota(share * PERIOD_US))
  try {
    mkdirSync(group)
    change(share)
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
    return { change, remove: () => rmdirSync(group) }
  } catch {
    return undefined
  }
}
