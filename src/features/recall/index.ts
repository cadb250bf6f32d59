export { readNames } from './before.ts'
export { recall } from './recall.ts'
