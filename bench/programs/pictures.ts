/** The parts of the product that the row `pictures` measures, bundled for it as the worker is. */
export { GlyphAtlas } from '../../packages/transom/src/evidence/pictures/glyph-atlas.ts'
export { GlyphSet } from '../../packages/transom/src/evidence/pictures/glyph-set.ts'
export { ApngEncoder } from '../../packages/transom/src/evidence/pictures/apng-encoder.ts'
export { encodePng } from '../../packages/transom/src/evidence/pictures/png-writer.ts'
export { Rasterizer, rasterize } from '../../packages/transom/src/evidence/pictures/rasterizer.ts'
export { VtEmulator } from '../../packages/transom/src/terminal/vt/vt-emulator.ts'
