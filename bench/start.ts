import { parseArgs } from 'node:util'
import { COMPARE_OPTIONS, compare, type Table } from './lib/measure.ts'
import { cpuMs, residentMb } from './lib/servers.ts'
import { engineOf, startVault } from './lib/vault.ts'

export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({ args, options: COMPARE_OPTIONS })
  const engine = engineOf(values.engine)
  const table = await compare(values, {
    title: `start of an empty vault, ${engine}, one worker`,
    // The first start of a checkout fills its compile cache.
    open: async (folder) => {
      await (await startVault(engine, { folder })).stop()
      return folder
    },
    measure: async (folder) => {
      const begin = performance.now()
      const vault = await startVault(engine, { folder })
      const figures = {
        'start to first answer, ms': performance.now() - begin,
        'CPU until then, ms': cpuMs(vault.pid),
        'resident, MB': residentMb(vault.pid),
      }
      await vault.stop()
      return figures
    },
    close: async () => {},
  })
  return [table]
}
