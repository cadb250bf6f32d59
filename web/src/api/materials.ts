import type { OutputOf } from '#server/core/capability.ts'
import type {
  deleteMaterial as DeleteMaterial,
  listRawMaterials,
  readMaterial as ReadMaterial,
} from '#server/features/cards/materials.ts'
import { call } from './client.ts'

export type Material = OutputOf<typeof ReadMaterial>

export const listMaterials = call<typeof listRawMaterials>('GET /api/v1/raw-materials')
export const readMaterial = call<typeof ReadMaterial>('GET /api/v1/raw-materials/{raw_id}')
export const deleteMaterial = call<typeof DeleteMaterial>('DELETE /api/v1/raw-materials/{raw_id}')
