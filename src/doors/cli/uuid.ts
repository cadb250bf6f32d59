const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** The form of every id of the vault. The schemas of the service would take too long to load for this. */
export const isUuid = (text: string): boolean => UUID.test(text)
