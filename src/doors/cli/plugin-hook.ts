// The plugin's hooks by themselves: they begin in a moment, and need neither the command line nor anything installed but Node.
import './hooks/main.ts'
