export * from './ansi.ts'
