// The bridge answers a client that waits for its handshake, so it goes past the argument parser.
if (process.argv[2] === 'mcp' && process.argv.length === 3) {
  const { bridge } = await import('./bridge.ts')
  await bridge()
} else {
  const { run } = await import('./commands.ts')
  process.exitCode = await run(process.argv)
}
