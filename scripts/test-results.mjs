/**
 * Sums up a test run from the JSON report of vitest: "passed failed" on standard output, and on standard error
 * every failed test with what it said, so that the end of a long log tells what broke.
 *
 *   node scripts/test-results.mjs REPORT
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const MESSAGE_LINES = 15 // what a page or a screen showed instead begins within them

/**
 * @typedef {{ fullName: string, status: string, failureMessages: string[] }} TestResult
 * @typedef {{ name: string, status: string, message: string, assertionResults: TestResult[] }} FileResult
 * @type {{ testResults: FileResult[], numPassedTests: number, numFailedTests: number }}
 */
const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
for (const file of report.testResults) {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed')
  const name = relative('.', file.name)
  for (const test of failed) tell(`${name} > ${test.fullName}`, test.failureMessages.join('\n'))
  if (file.status === 'failed' && failed.length === 0) tell(`${name} could not be run`, file.message)
}
console.log(report.numPassedTests, report.numFailedTests)

function tell(/** @type {string} */ title, /** @type {string} */ message) {
  console.error(`FAILED: ${title}`)
  for (const line of message.split('\n').slice(0, MESSAGE_LINES)) console.error(`  ${line}`)
}
