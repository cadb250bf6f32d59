export { importLibrary, listPulledCards } from './import.ts'
export { publicLibrary } from './public-pages.ts'
export { activeSigningKey, resealSigningKeys, retireKey } from './signing-keys.ts'
export { librarySnapshots, makeDueSnapshot } from './snapshot.ts'
