// What few hooks need: lock files and the spool at the end of an exchange, and which name of a project counts. A separate
// bundle.

export { captureTurn } from './capture.ts'
export { adviceOnce, findProject } from './project-permission.ts'
export { sendWaiting } from './spool.ts'
