/** JSON is stored as text on both engines: jsonb would reorder keys and round numbers. */
export const toJson = (value: unknown): string => JSON.stringify(value)

export const toJsonOrNull = (value: unknown): string | null => (value == null ? null : JSON.stringify(value))

/** Parses a JSON column; the frequent empty list skips the parser. */
export const fromJson = <T>(text: string): T => (text === '[]' ? ([] as T) : JSON.parse(text))

export const fromJsonOrNull = <T>(text: string | null): T | null => (text === null ? null : JSON.parse(text))

export const flag = (value: boolean): 0 | 1 => (value ? 1 : 0)
