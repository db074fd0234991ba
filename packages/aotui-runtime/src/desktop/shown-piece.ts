/** One or more whole lines of a view, and the item that they show. */
export interface Piece {
  readonly text: string
  readonly item?: ShownItem
}

/** An item as the agent sees it. It has a ref when it has something to inject. */
export interface ShownItem {
  /** As the agent writes it: `message_list[0]`. */
  readonly name: string
  /** `message_list`, or `message_list~2` for the second list of that id. */
  readonly listName: string
  readonly index: number
  readonly list: string
  readonly type: string
  /** Which of the fragment's items it is. */
  readonly position: number
  /** What it says, without its number and ref: items that moved say the same. */
  readonly body: string
  readonly key?: string
  readonly value?: string
}

/** A list as the agent sees it: `replies~2` is the second list called `replies` in the view. */
export interface ShownList {
  readonly name: string
  readonly id: string
  readonly type: string
  readonly ordinal: number
  readonly from: number
  readonly total: number
}
