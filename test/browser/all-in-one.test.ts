/// <reference types="vite/types/importMeta.d.ts" />
import { describe } from 'vitest'

/** All test files of this folder, one after another in one process, which share its browser and windows: see sequence.ts. */
const files = import.meta.glob(['./*.test.ts', '!./all-in-one.test.ts'])
for (const [name, load] of Object.entries(files)) describe(name, () => load())
