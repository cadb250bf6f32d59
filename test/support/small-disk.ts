import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

function mount(megabytes: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
    chmodSync(folder, 0o755)
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
}

/** A small file system of a test file's own, where that is allowed. */
export function mountSmallDisk(megabytes: number): string | undefined {
  const disk = mount(megabytes)
  afterAll(() => {
    if (!disk) return
    execFileSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true })
  })
  return disk
}

export const NO_SMALL_DISK = 'no file system can be mounted here; on Linux that takes root'
