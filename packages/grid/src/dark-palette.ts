/** The colours of the dark theme: pictures are drawn in them, and programs that query colours get them. */
export const DARK_FOREGROUND = 0xd8d8d8
export const DARK_BACKGROUND = 0x181818

export const DARK_PALETTE_16: readonly number[] = [
  0x181818, 0xcc5555, 0x6fb36f, 0xc9a554, 0x5f8fd0, 0xa86fc0, 0x4fb0b0, 0xd0d0d0, 0x6a6a6a, 0xf07070,
  0x90d690, 0xe8c878, 0x82b0f0, 0xc892e0, 0x74d2d2, 0xf5f5f5,
]

/** A palette entry as 0xRRGGBB: the first 16 are the theme's, the other 240 xterm's cube and grey ramp. */
export function paletteColor(index: number, first16: readonly number[] = DARK_PALETTE_16): number {
  if (index < 16) return first16[index] ?? 0
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40)
  const cube = index - 16
  return (level(Math.floor(cube / 36)) << 16) | (level(Math.floor(cube / 6) % 6) << 8) | level(cube % 6)
}
