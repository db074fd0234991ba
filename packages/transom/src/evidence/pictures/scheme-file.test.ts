import { describe, expect, test } from 'vitest'
import { parseScheme } from './scheme-file.ts'

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'purple', 'cyan', 'white']
const digits = (index: number) => index.toString(16).repeat(6)
const list = Array.from({ length: 16 }, (_, index) => `#${digits(index)}`)
const palette = list.map((color) => Number.parseInt(color.slice(1), 16))

describe('a colour scheme is read from', () => {
  test('Windows Terminal’s JSON', () => {
    const colors = Object.fromEntries(
      list.map((color, index) => {
        const name = NAMES[index % 8] ?? ''
        return [index < 8 ? name : `bright${name.charAt(0).toUpperCase()}${name.slice(1)}`, color]
      }),
    )
    const text = JSON.stringify({
      name: 'Mine',
      foreground: '#eeeeee',
      background: '#101010',
      cursorColor: '#ff0000',
      ...colors,
    })
    expect(parseScheme(text, 'mine.json')).toEqual({
      name: 'Mine',
      foreground: 0xeeeeee,
      background: 0x101010,
      cursor: 0xff0000,
      cursorText: 0x101010,
      palette,
      keepsContrast: false,
    })
  })

  test('a JSON with a list of colours', () => {
    const text = JSON.stringify({ foreground: '#eeeeee', background: '101010', colors: list })
    expect(parseScheme(text, 'mine.json')).toMatchObject({ name: 'mine.json', palette, cursor: 0xeeeeee })
  })

  test('base16 as YAML, in its old and its new form, and as JSON', () => {
    const bases = Array.from(
      { length: 16 },
      (_, index) => [`base0${index.toString(16).toUpperCase()}`, digits(index)] as const,
    )
    const old = `scheme: "Old one"\n${bases.map(([key, value]) => `${key}: "${value}" # comment`).join('\n')}`
    const now = `system: "base16"\nname: "New one"\npalette:\n${bases.map(([key, value]) => `  ${key}: "#${value}"`).join('\n')}`
    const json = JSON.stringify({ scheme: 'As JSON', ...Object.fromEntries(bases) })
    for (const [text, name] of [
      [old, 'Old one'],
      [now, 'New one'],
      [json, 'As JSON'],
    ] as const) {
      const theme = parseScheme(text, 'x.yaml')
      expect(theme).toMatchObject({ name, background: 0x000000, foreground: 0x555555 })
      expect(theme.palette.slice(0, 3)).toEqual([0x000000, 0x888888, 0xbbbbbb])
    }
  })

  test('iTerm2’s property list', () => {
    const entry = (label: string, value: number) =>
      `<key>${label}</key>\n<dict><key>Blue Component</key><real>0</real><key>Green Component</key><real>0.5</real><key>Red Component</key><real>${value}</real></dict>`
    const labels = [...list.map((_, index) => `Ansi ${index} Color`), 'Foreground Color', 'Background Color']
    const text = `<?xml version="1.0"?><plist><dict>${labels.map((label) => entry(label, 1)).join('')}</dict></plist>`
    expect(parseScheme(text, 'mine.itermcolors')).toMatchObject({
      name: 'mine.itermcolors',
      background: 0xff8000,
    })
  })
})

test.each([
  ['{"foreground": "#eeeeee"', 'no JSON'],
  ['{"foreground": "#eeeeee"}', '"black" is missing'],
  [
    JSON.stringify({ foreground: '#eeeeee', background: '#101010', colors: [...list.slice(0, 15), 'red'] }),
    'colors[15] is no colour like #d8d8d8 (got "red")',
  ],
  ['hello', 'base00 is missing'],
  ['<plist/>', '"Ansi 0 Color" is missing'],
])('what is no scheme is refused with a reason: %s', (text, why) => {
  expect(() => parseScheme(text, 'bad.json')).toThrow(
    expect.objectContaining({ code: 'scheme_invalid', message: expect.stringContaining(why) as string }),
  )
})
