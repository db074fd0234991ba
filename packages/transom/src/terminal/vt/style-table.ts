import { DEFAULT_COLOR, DEFAULT_STYLE, UNDERLINES, type Style, type ValueTable } from '@transom/grid'

export const BOLD = 1
export const DIM = 2
export const ITALIC = 4
export const BLINK = 8
export const INVERSE = 16
export const INVISIBLE = 32
export const STRIKETHROUGH = 64
export const OVERLINE = 128
/** Three bits: an index of UNDERLINES. */
export const UNDERLINE_SHIFT = 8
export const UNDERLINE_MASK = 7 << UNDERLINE_SHIFT
/** DECSCA: a selective erase leaves the cell. */
export const PROTECTED = 1 << 11
/** SPA to EPA: every erase leaves the cell. */
export const GUARDED = 1 << 12

const FIRST_CAPACITY = 64

/** What a cell looks like, as numbers: the pen that writes it. */
export interface Pen {
  fg: number
  bg: number
  underlineColor: number
  flags: number
  /** An id of the link table; 0 is no link. */
  link: number
}

/**
 * Styles by number in parallel arrays, found by open addressing: a program may change its pen a million times a
 * second. The style objects that readers of a Grid get are made when they ask.
 */
export class StyleTable implements ValueTable<Style> {
  #fg = new Int32Array(FIRST_CAPACITY)
  #bg = new Int32Array(FIRST_CAPACITY)
  #underlineColor = new Int32Array(FIRST_CAPACITY)
  #flags = new Int32Array(FIRST_CAPACITY)
  #link = new Int32Array(FIRST_CAPACITY)
  /** Ids by hash; 0, the default style, marks a free place. */
  #places = new Int32Array(FIRST_CAPACITY * 4)
  #size = 1
  readonly #styles: (Style | undefined)[] = [DEFAULT_STYLE]
  readonly #uriOf: (link: number) => string

  constructor(uriOf: (link: number) => string) {
    this.#uriOf = uriOf
    this.#fg[0] = this.#bg[0] = this.#underlineColor[0] = DEFAULT_COLOR
  }

  get size(): number {
    return this.#size
  }

  idOf(pen: Pen): number {
    return this.intern(pen.fg, pen.bg, pen.underlineColor, pen.flags, pen.link)
  }

  // Five numbers instead of an object: this runs for every SGR sequence.
  intern(fg: number, bg: number, underlineColor: number, flags: number, link: number): number {
    if (
      fg === DEFAULT_COLOR &&
      bg === DEFAULT_COLOR &&
      flags === 0 &&
      link === 0 &&
      underlineColor === DEFAULT_COLOR
    )
      return 0
    const mask = this.#places.length - 1
    let place = hash(fg, bg, underlineColor, flags, link) & mask
    for (let id = this.#places[place] ?? 0; id !== 0; id = this.#places[place] ?? 0) {
      if (
        this.#fg[id] === fg &&
        this.#bg[id] === bg &&
        this.#flags[id] === flags &&
        this.#link[id] === link &&
        this.#underlineColor[id] === underlineColor
      )
        return id
      place = (place + 1) & mask
    }
    if (this.#size === this.#fg.length) {
      this.#grow()
      return this.intern(fg, bg, underlineColor, flags, link)
    }
    const id = this.#size++
    this.#places[place] = id
    this.#fg[id] = fg
    this.#bg[id] = bg
    this.#underlineColor[id] = underlineColor
    this.#flags[id] = flags
    this.#link[id] = link
    return id
  }

  flagsOf(id: number): number {
    return this.#flags[id] ?? 0
  }

  linkOf(id: number): number {
    return this.#link[id] ?? 0
  }

  /** Copies a style into `pen`. */
  read(id: number, pen: Pen): void {
    pen.fg = this.#fg[id] ?? DEFAULT_COLOR
    pen.bg = this.#bg[id] ?? DEFAULT_COLOR
    pen.underlineColor = this.#underlineColor[id] ?? DEFAULT_COLOR
    pen.flags = this.#flags[id] ?? 0
    pen.link = this.#link[id] ?? 0
  }

  valueOf(id: number): Style {
    return (this.#styles[id] ??= this.#style(id))
  }

  #style(id: number): Style {
    if (id >= this.#size) throw new RangeError(`no style has id ${id}`)
    const flags = this.#flags[id] ?? 0
    return {
      fg: this.#fg[id] ?? DEFAULT_COLOR,
      bg: this.#bg[id] ?? DEFAULT_COLOR,
      bold: (flags & BOLD) !== 0,
      dim: (flags & DIM) !== 0,
      italic: (flags & ITALIC) !== 0,
      underline: UNDERLINES[(flags & UNDERLINE_MASK) >> UNDERLINE_SHIFT] ?? 'single',
      underlineColor: this.#underlineColor[id] ?? DEFAULT_COLOR,
      blink: (flags & BLINK) !== 0,
      inverse: (flags & INVERSE) !== 0,
      invisible: (flags & INVISIBLE) !== 0,
      strikethrough: (flags & STRIKETHROUGH) !== 0,
      overline: (flags & OVERLINE) !== 0,
      link: this.#uriOf(this.#link[id] ?? 0),
    }
  }

  #grow(): void {
    this.#fg = doubled(this.#fg)
    this.#bg = doubled(this.#bg)
    this.#underlineColor = doubled(this.#underlineColor)
    this.#flags = doubled(this.#flags)
    this.#link = doubled(this.#link)
    const places = new Int32Array(this.#places.length * 2)
    const mask = places.length - 1
    for (let id = 1; id < this.#size; id++) {
      let place =
        hash(
          this.#fg[id] ?? 0,
          this.#bg[id] ?? 0,
          this.#underlineColor[id] ?? 0,
          this.#flags[id] ?? 0,
          this.#link[id] ?? 0,
        ) & mask
      while (places[place] !== 0) place = (place + 1) & mask
      places[place] = id
    }
    this.#places = places
  }
}

function hash(fg: number, bg: number, underlineColor: number, flags: number, link: number): number {
  const mixed =
    Math.imul(fg, 0x9e37_79b1) ^
    Math.imul(bg, 0x85eb_ca6b) ^
    Math.imul(flags, 0xc2b2_ae35) ^
    Math.imul(underlineColor + 1, 0x27d4_eb2f) ^
    Math.imul(link, 0x1656_67b1)
  return mixed ^ (mixed >>> 15)
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}
