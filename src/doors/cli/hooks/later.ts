// What few hooks need: lock files and the spool at the end of an exchange, and which name of a project counts. A separate
// bundle.
export { adviceOnce, findProject } from './allowed-projects.ts'
export { captureTurn } from './capture/capture.ts'
export { sendWaiting } from './spool/send.ts'
