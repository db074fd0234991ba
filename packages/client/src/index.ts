export { Client, type CallOptions } from './client.ts'
export { LineSplitter } from './line-splitter.ts'
export { linkedTransports, type Transport, type TransportListener } from './transport.ts'
