import { DEFAULT_LANGUAGE, type Localised } from '../../core/language.ts'
import { type Html, html } from './html.ts'

/** Text in another language than the page is marked, for people who use a screen reader. */
export const localised = ({ text, language }: Localised): Html =>
  language === DEFAULT_LANGUAGE ? html`${text}` : html`<span lang="${language}">${text}</span>`
