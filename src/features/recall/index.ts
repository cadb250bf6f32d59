export { recall } from './recall.ts'
