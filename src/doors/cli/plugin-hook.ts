// The plugin's hook by itself: it begins in a moment, and needs neither the command line nor anything installed but Node.
import { hook } from './hook.ts'

process.exitCode = await hook(process.argv[2] ?? '')
