import { quietPipes } from './terminal.ts'

// Entry point of the server package and the checkout: all commands of `kvault`, with those for the database.

quietPipes()
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
