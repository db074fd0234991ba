// @ts-check
/** `node bare-http.mjs`: Node's own HTTP server; reads a body of JSON and answers with what came on standard input. */
import * as http from 'node:http'
import * as readline from 'node:readline'

const input = readline.createInterface({ input: process.stdin })

input.once('line', (answer) => {
  const length = Buffer.byteLength(answer)
  const server = http.createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      JSON.parse(body)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
      response.end(answer)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = /** @type {import('node:net').AddressInfo} */ (server.address())
    console.log(String(address.port))
  })
})
input.once('close', () => process.exit(0)) // whoever started it is gone
