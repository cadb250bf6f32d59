import { correctLanguages } from './language.ts'

// A file of its own: `main.tsx` imports it first, so it runs before any library loads.
correctLanguages(navigator)
