/** What `aoapp test` drives apps with, for tests in any test runner. */
export { AppDriver, type AppDriverOptions } from './app-driver.ts'
