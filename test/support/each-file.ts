import { closeVaultsAfterFile } from './vaults-of-file.ts'

closeVaultsAfterFile()
