export { type Progress, rescan, rescanSources } from './rescan.ts'
