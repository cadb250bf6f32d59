export { audit } from './audit.ts'
