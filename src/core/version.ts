import { createRequire } from 'node:module'

export const VERSION: string = createRequire(import.meta.url)('../../package.json').version

/** The version of the REST description, fixed by the interface. */
export const API_VERSION = '0.1.0'
