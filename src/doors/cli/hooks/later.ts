// Code that few hooks need, in a separate bundle for a fast start.

export { learnInBackground, refreshNames } from './background.ts'
export { captureTurn } from './capture.ts'
export { adviceOnce, findWithoutRemote } from './project-permission.ts'
export { sendWaiting } from './spool.ts'
