export interface Figure {
  name: string
  value: number
  unit: string
  /** What the figure may be at most, or at least. */
  max?: number
  min?: number
}
