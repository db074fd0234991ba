import * as fs from 'node:fs'
import * as path from 'node:path'
import { makeFolder } from '../../lib/make-folder.ts'
import { fileError } from '../../lib/system-error.ts'
import { CELL_FONT_PARTS, CELL_FONT_VERSION, buildCellFont } from './cell-font.ts'
import { cacheFolder } from './chromium-location.ts'

/**
 * The fontconfig file that makes Chromium know the cell fonts beside the system's own. Makes the fonts the first
 * time (two seconds); after that they are read from the cache.
 */
export function cellFontconfigFile(env: NodeJS.ProcessEnv): string {
  const folder = path.join(cacheFolder(env), `cell-fonts-v${CELL_FONT_VERSION}`)
  try {
    makeFolder(folder)
    for (const part of CELL_FONT_PARTS) {
      const file = path.join(folder, `${part.family}.ttf`)
      if (!fs.existsSync(file)) replaceFile(file, buildCellFont(part))
    }
    const file = path.join(folder, `fonts-${process.pid}.conf`)
    const shared = path.join(folder, 'fonts.conf')
    const text = fontconfig(env['FONTCONFIG_FILE'] ?? '/etc/fonts/fonts.conf', folder)
    if (fs.existsSync(shared) && fs.readFileSync(shared, 'utf8') === text) return shared
    fs.writeFileSync(file, text)
    fs.renameSync(file, shared)
    return shared
  } catch (error) {
    throw fileError(error, `make the cell font in ${folder}`, { folder })
  }
}

/**
 * As a whole, and from outside the folder: a browser that another process starts at this moment would take the file
 * for a font of its own, which is no longer there when its text is painted.
 */
function replaceFile(file: string, content: Buffer): void {
  const temporary = `${path.dirname(file)}.${process.pid}.tmp`
  fs.writeFileSync(temporary, content)
  fs.renameSync(temporary, file)
}

function fontconfig(systemFile: string, folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">${escapeXml(systemFile)}</include>
  <dir>${escapeXml(folder)}</dir>
  <cachedir>${escapeXml(path.join(folder, 'fontconfig'))}</cachedir>
</fontconfig>
`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
