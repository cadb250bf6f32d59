// The plugin's MCP server: the bridge by itself, with the profile that `kvault login` or `kvault connect` has saved.
import { bridge } from './bridge.ts'

await bridge()
