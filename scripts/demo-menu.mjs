// A small full-screen program for the demo: a menu on the alternate screen, moved through by the arrow keys as a
// terminal in application mode sends them.
const DISHES = ['Soup of the day', 'Risotto with lemon', 'Plum cake', 'Coffee']
let selected = 0

function draw() {
  const rows = DISHES.map((dish, index) =>
    index === selected ? `\x1b[7m > ${dish.padEnd(22)}\x1b[0m` : `   ${dish}`,
  )
  process.stdout.write(
    `\x1b[2J\x1b[H\x1b[1m  What would you like?\x1b[0m\r\n\r\n${rows.join('\r\n')}\r\n\r\n`,
  )
  process.stdout.write(`  ${selected + 1} of ${DISHES.length}   arrows move, Enter orders`)
}

function leave() {
  process.stdout.write('\x1b[?1l\x1b[?25h\x1b[?1049l')
  console.log(`You ordered: ${DISHES[selected]}`)
  process.exit(0)
}

process.stdin.setRawMode(true)
process.stdout.write('\x1b[?1049h\x1b[?25l\x1b[?1h')
draw()
process.stdin.on('data', (data) => {
  // Several keys may arrive at once.
  for (const [key] of data.toString('latin1').matchAll(/\x1bO[AB]|\r/g)) {
    if (key === '\x1bOA') selected = Math.max(0, selected - 1)
    if (key === '\x1bOB') selected = Math.min(DISHES.length - 1, selected + 1)
    if (key === '\r') leave()
  }
  draw()
})
