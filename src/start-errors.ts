const EXIT_FAILED = 1
const EXIT_MISCONFIGURED = 2

type StartError = Error & { code?: string; syscall?: string; port?: number; path?: string; address?: string }

export type Explained = { message: string; exitCode: number }

const SAID_BY_ITSELF = ['SchemaTooNew', 'DamagedDatabase']
const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC', 'EDQUOT']

function sentence(error: StartError): string | undefined {
  if (error.name === 'ConfigError') return error.message.replaceAll(/^/gm, 'configuration: ')
  if (SAID_BY_ITSELF.includes(error.name)) return error.message
  if (error.code === 'EADDRINUSE') return `Port ${error.port} is in use. Set PORT to a free one.`
  if (error.code === 'EADDRNOTAVAIL')
    return `${error.address} is no address of this computer. Set HOST to one that is, such as 127.0.0.1.`
  if (error.code === 'EACCES' && error.syscall === 'listen')
    return `Port ${error.port} needs rights that this user does not have. Set PORT to 1024 or more.`
  if (error.code && error.path && NOT_WRITABLE.includes(error.code))
    return `${error.path} cannot be written (${error.code}). Set DATA_DIR to a folder that this user may write to.`
  return undefined
}

/** Mistakes that a person can fix are shown as one line; everything else shows where it happened. */
export function explainStart(error: StartError): Explained {
  const message = sentence(error)
  if (message !== undefined) return { message, exitCode: EXIT_MISCONFIGURED }
  return { message: error.stack ?? String(error), exitCode: EXIT_FAILED }
}
