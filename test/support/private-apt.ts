import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'

/** An apt-get that installs into a folder and knows no other package than those that are made here. */
export class PrivateApt {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    for (const each of [
      'root',
      'dpkg/info',
      'dpkg/updates',
      'state/lists/partial',
      'cache/archives/partial',
      'log',
    ])
      fs.mkdirSync(path.join(folder, each), { recursive: true })
    fs.writeFileSync(path.join(folder, 'dpkg/status'), '')
    fs.writeFileSync(path.join(folder, 'apt.conf'), this.#settings())
  }

  /** Makes a package whose installation runs a script; returns its file. */
  package(name: string, script: string): string {
    const source = path.join(this.#folder, name, 'DEBIAN')
    fs.mkdirSync(source, { recursive: true })
    const control = [
      'Package: ' + name,
      'Version: 1',
      'Architecture: all',
      'Maintainer: nobody <nobody@localhost>',
    ]
    fs.writeFileSync(path.join(source, 'control'), [...control, `Description: ${name}`, ''].join('\n'))
    fs.writeFileSync(path.join(source, 'postinst'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    execFileSync('dpkg-deb', ['-b', path.dirname(source), `${path.dirname(source)}.deb`])
    return `${path.dirname(source)}.deb`
  }

  /** A package that is listed as installed. */
  installed(name: string): void {
    const fields = ['Status: install ok installed', 'Version: 1', 'Architecture: all', 'Maintainer: nobody']
    const entry = [`Package: ${name}`, ...fields, `Description: ${name}`, '', ''].join('\n')
    fs.appendFileSync(path.join(this.#folder, 'dpkg/status'), entry)
    fs.writeFileSync(path.join(this.#folder, 'dpkg/info', `${name}.list`), '/.\n')
  }

  /** A command line. */
  get(words: string): string {
    return `APT_CONFIG=${this.#folder}/apt.conf apt-get ${words}`
  }

  #settings(): string {
    const folder = this.#folder
    const values = {
      'Dir::State': `${folder}/state`,
      'Dir::State::status': `${folder}/dpkg/status`,
      'Dir::Cache': `${folder}/cache`,
      'Dir::Log': `${folder}/log`,
      'Dir::Etc::sourcelist': '/dev/null',
      'Dir::Etc::sourceparts': '/dev/null',
      'Dir::Etc::parts': '/dev/null', // no hooks of the machine's
      'APT::Sandbox::User': 'root', // another could not enter the folder
      'Debug::NoLocking': 'true',
    }
    const dpkg = [
      `--admindir=${folder}/dpkg`,
      `--instdir=${folder}/root`,
      '--force-script-chrootless',
      '--force-not-root',
      '--force-bad-path',
      '--log=/dev/null',
    ]
    return [
      ...Object.entries(values).map(([name, value]) => `${name} "${value}";`),
      `DPkg::Options { ${dpkg.map((option) => `"${option}";`).join(' ')} };`,
      '',
    ].join('\n')
  }
}
