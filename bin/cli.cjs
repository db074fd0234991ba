#!/usr/bin/env node
// `npx transom` and `npx agent-tty` in a checkout.
require('./built.cjs')('cli.cjs')
