/** A home folder may have any letters, and shells read these also between double quotes. */
const READ_BY_SHELLS = /["$`\\]/g

/** A part of a command line as one word: for the shells of agents, and on Windows also for cmd and PowerShell. */
export function shellWord(part: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./-]+$/.test(part)) return part
  return `"${platform === 'win32' ? part : part.replace(READ_BY_SHELLS, '\\$&')}"`
}
