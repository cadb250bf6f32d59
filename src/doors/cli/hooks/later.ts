// Code that few hooks need, in a separate bundle for a fast start.

export { captureTurn } from './capture.ts'
export { adviceOnce, findProject } from './project-permission.ts'
export { sendWaiting } from './spool.ts'
