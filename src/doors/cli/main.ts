import { quietPipes } from './terminal.ts'

// The command of the server's package and of the checkout: all commands of `kvault`, and those that work on the database.

quietPipes()
// A client waits for the handshake of the bridge, so it starts without the argument parser.
if (process.argv[2] === 'mcp' && process.argv.length === 3) {
  const { bridge } = await import('./bridge.ts')
  await bridge().catch(async (error: unknown) => {
    process.exitCode = (await import('./terminal.ts')).reportError(error)
  })
} else {
  const [{ run }, { addCommands }, { addServerCommands }] = await Promise.all([
    import('./commands.ts'),
    import('./commands.ts'),
    import('./server/commands.ts'),
  ])
  process.exitCode = await run('knowledge-vault', process.argv, [addServerCommands, addCommands])
}
