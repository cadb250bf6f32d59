import { z } from 'zod'
import { plainName } from '../../../core/names.ts'
import { cutText } from '../../../text/cut-text.ts'
import { cleanText, Findings } from '../../redaction/stored.ts'

const LONGEST_NAME = 120

/** One line without invisible characters, since others see it beside cards and in mails. */
export const DisplayName = z.string().overwrite(plainName).min(1).max(LONGEST_NAME)

/**
 * A name as it is stored. Everybody can read it beside public cards, so a secret in it is replaced. A name from elsewhere,
 * and a placeholder, may be longer than the limit.
 */
export const cleanName = (name: string): string => cutText(cleanText(name, new Findings()), LONGEST_NAME).text
