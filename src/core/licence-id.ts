import { z } from 'zod'
import { LICENCES } from './licences.ts'

export const LicenceId = z.enum(LICENCES)
