// What no agent waits for: redaction, lock files and the spool. A separate bundle, loaded only at the end of an exchange.
export { captureTurn } from './capture/capture.ts'
export { sendWaiting } from './spool/send.ts'
