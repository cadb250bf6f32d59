export { backUpOnSchedule, takeBackup } from './backup.ts'
export { type BackupKey, checkBackup } from './format.ts'
export { bareContext, checkRestorable, reindex, restoreBackup } from './restore.ts'
export { verifyVault } from './verify.ts'
