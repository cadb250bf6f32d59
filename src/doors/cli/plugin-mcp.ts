import { bridge } from './bridge.ts'

await bridge()
