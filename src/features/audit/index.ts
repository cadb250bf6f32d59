export { audit, auditSubscribers } from './audit.ts'
