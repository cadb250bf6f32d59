/** JSON in the browser's storage that never throws: storage may be full, blocked or hold something else. */
function jsonStore(storage: () => Storage) {
  return {
    read<T>(key: string): T | null {
      try {
        const text = storage().getItem(key)
        return text === null ? null : (JSON.parse(text) as T)
      } catch {
        return null
      }
    },
    write(key: string, value: unknown): boolean {
      try {
        storage().setItem(key, JSON.stringify(value))
        return true
      } catch {
        return false
      }
    },
    /** The keys that begin like this. */
    keys(start: string): string[] {
      try {
        const all = storage()
        const names = Array.from({ length: all.length }, (_, index) => all.key(index) ?? '')
        return names.filter((name) => name.startsWith(start))
      } catch {
        return []
      }
    },
    remove(key: string) {
      try {
        storage().removeItem(key)
      } catch {
        // Nothing was stored.
      }
    },
  }
}

export const local = jsonStore(() => localStorage)
export const tab = jsonStore(() => sessionStorage)
