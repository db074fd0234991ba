// @ts-check
/** `node echo-server.mjs SOCKET`: answers every JSON-RPC request with the result read from standard input. */
import * as net from 'node:net'
import * as readline from 'node:readline'

const input = readline.createInterface({ input: process.stdin })
const [socket = ''] = process.argv.slice(2)

input.once('line', (result) => {
  const server = net.createServer((connection) => {
    readline.createInterface({ input: connection }).on('line', (line) => {
      const { id } = JSON.parse(line)
      connection.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`)
    })
  })
  server.listen(socket, () => console.log('listening'))
})
input.once('close', () => process.exit(0)) // whoever started it is gone
