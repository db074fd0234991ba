// Follows the screen of a session until it ends, and prints every line as it changes.
import { connect } from '@transom/client/connect'

const { TRANSOM_URL: url, TRANSOM_TOKEN: token = '', TRANSOM_PROGRAM: program = 'transom' } = process.env

await using transom = await connect(url === undefined ? { program } : { url, token })
const counter = await transom.create({
  command: ['sh', '-c', 'read go; for n in 1 2 3; do echo "count $n"; done'],
})
await new Promise<void>((resolve, reject) => {
  const onScreen = counter.subscribe('screen', (message) => {
    if (message.type === 'rows') for (const { line } of message.rows) console.log(line.text)
    if (message.type === 'end') resolve()
    if (message.type === 'error') reject(new Error(message.error.message))
  })
  onScreen.then(() => counter.keys('Enter')).catch(reject)
})
console.log(`ended with ${(await counter.inspect()).exit?.code}`)
