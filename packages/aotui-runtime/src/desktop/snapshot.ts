export interface SnapshotOptions {
  /** At most this many characters (200,000 unless the desktop was made with another limit); the rest is cut. */
  max_chars?: number
  /** Only what changed since this snapshot. */
  since?: string
  /**
   * Who reads. Snapshots are kept for each reader by itself, so that one that pulls often does not push out those that
   * another still acts on. A lease has a reader of its own: `lease.snapshot()`.
   */
  reader?: string
}

export interface Snapshot {
  readonly markup: string
  readonly snapshot_id: string
  /** The ids of the views that are shown. */
  readonly views: readonly string[]
  /** Those that differ from the snapshot named by `since`, or else from the one before. */
  readonly changed: readonly string[]
}
