import { correctLanguages } from './language.ts'

correctLanguages(navigator)
