// Runs a command in a shell of its own and prints what it showed.
// Over the Unix socket of this user's host, or through a gateway: TRANSOM_URL and TRANSOM_TOKEN say which.
import { connect } from '@transom/client/connect'

const { TRANSOM_URL: url, TRANSOM_TOKEN: token = '', TRANSOM_PROGRAM: program = 'transom' } = process.env

await using transom = await connect(url === undefined ? { program } : { url, token })
await using shell = await transom.create({ command: ['sh'], env: { PS1: '> ' } }) // ended when this block is left
const seq = await shell.type('echo "six times seven is $((6 * 7))"', { enter: true })
const { match } = await shell.wait({ regex: 'seven is \\d+', after_seq: seq })
console.log(match?.text)
