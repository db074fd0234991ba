/** The parts of the product that the row `pictures` measures, bundled for it as the worker is. */
export { GlyphAtlas } from '../../packages/transom/src/pictures/glyph-atlas.ts'
export { GlyphSet } from '../../packages/transom/src/pictures/glyph-set.ts'
export { ApngEncoder } from '../../packages/transom/src/pictures/apng-encoder.ts'
export { encodePng } from '../../packages/transom/src/pictures/png-writer.ts'
export { Rasterizer, rasterize } from '../../packages/transom/src/pictures/rasterizer.ts'
export { VtEmulator } from '../../packages/transom/src/terminal/vt/vt-emulator.ts'
