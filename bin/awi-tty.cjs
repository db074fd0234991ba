#!/usr/bin/env node
// `npx awi-tty` in a checkout.
require('./built.cjs')('awi-tty.cjs')
