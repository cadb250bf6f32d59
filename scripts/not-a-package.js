// The checkout has the tools of the build among its dependencies, so it is packed by a script of its own.
process.stderr.write('The checkout is no package. Make both packages by: npm run package\n')
process.exit(1)
