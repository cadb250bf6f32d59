// The plugin's hooks without the command line: they start fast and need nothing but Node.
import './hooks/main.ts'
