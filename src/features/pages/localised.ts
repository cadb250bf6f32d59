import { DEFAULT_LANGUAGE, type Localised } from '../../core/language.ts'
import { type Html, html } from './html.ts'

/** What is in another language than the page says so, for those who have pages read to them. */
export const localised = ({ text, language }: Localised): Html =>
  language === DEFAULT_LANGUAGE ? html`${text}` : html`<span lang="${language}">${text}</span>`
