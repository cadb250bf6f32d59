import './hooks/main.ts'
