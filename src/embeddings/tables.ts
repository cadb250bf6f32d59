/** Tables with vectors, each with its column that has another number whenever the vector is another. */
export const VECTOR_TABLES = { search_vectors: 'doc_no', context_event_vectors: 'event_no' } as const

export type VectorTable = keyof typeof VECTOR_TABLES
