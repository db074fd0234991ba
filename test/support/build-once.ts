import { buildAll } from '../../scripts/build.mjs'

/** Tests run the programs that users run: they are built once, before any of them. */
export default async function setup(): Promise<void> {
  await buildAll()
}
