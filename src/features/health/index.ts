export { health, readServiceWarnings, ready } from './health.ts'
