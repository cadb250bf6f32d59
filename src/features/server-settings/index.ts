export { changeServerSettings, readServerSettings, serverSettingsOf } from './server-settings.ts'
