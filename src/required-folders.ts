import { accessSync, constants } from 'node:fs'
import { type Config, ConfigError } from './config.ts'
import { makeFolder } from './core/make-folder.ts'

/** Otherwise the first to notice would be the person who needs a backup. */
function requireBackupFolder(path: string): void {
  try {
    makeFolder(path)
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError([
      `BACKUP_DIR: ${path} cannot be written (${(error as NodeJS.ErrnoException).code})`,
    ])
  }
}

/**
 * Makes the folders of the settings, or says which one cannot be made, before the app is loaded. On PostgreSQL too the data
 * folder holds attachments, and without it the service never becomes ready.
 */
export function requireFolders({ dataDir, backup }: Config): void {
  makeFolder(dataDir)
  if (backup) requireBackupFolder(backup.dir)
}
