import { openSqlite } from '../../src/db/sqlite/sqlite.ts'

/** Opens the files that it is told, and says how that went. */
process.on('message', async (file: string) => {
  try {
    await openSqlite(file).close()
    process.send?.('opened')
  } catch (error) {
    process.send?.(String(error))
  }
})
process.send?.('ready')
