export { deleteAccount, deleteAccountByPassword, dropLeftovers } from './delete-account.ts'
export { deleteWorkspace, previewWorkspaceDeletion } from './delete-workspace.ts'
export { exportAccount } from './export.ts'
export { changeProfile, readSettings, replaceSettings } from './settings.ts'
