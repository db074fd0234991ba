/** For programs that embed the runtime: lets `aoapp inspect --socket PATH` look at their desktop. */
export { serveInspector } from './inspector/inspector-socket.ts'
