import { createRequire } from 'node:module'

/** The program's version, from package.json. */
export const VERSION: string = createRequire(import.meta.url)('../../package.json').version

/** The REST description's own version, fixed by the interface. */
export const API_VERSION = '0.1.0'
