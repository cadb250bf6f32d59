import { z } from 'zod'
import { plainName } from '../../../core/names.ts'
import { cleanText, Findings } from '../../redaction/stored.ts'

/** One line without invisible characters, since others see it beside cards and in mails. */
export const DisplayName = z.string().overwrite(plainName).min(1).max(120)

/** A name as it is stored. Everybody can read it beside public cards, so a secret in it is replaced. */
export const cleanName = (name: string): string => cleanText(name, new Findings())
