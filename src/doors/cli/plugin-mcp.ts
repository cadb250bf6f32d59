// The plugin's MCP server: only the bridge, with the profile that `kvault login` or `kvault connect` has saved.
import { bridge } from './bridge.ts'

await bridge()
