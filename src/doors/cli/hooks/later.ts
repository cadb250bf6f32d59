// What nobody waits for: redaction, lock files and the spool. A part of its own, loaded at the end of an exchange alone.
export { captureTurn } from './capture/capture.ts'
export { sendWaiting } from './spool/send.ts'
