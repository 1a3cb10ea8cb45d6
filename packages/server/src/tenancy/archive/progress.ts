/** Receives the progress of a long operation. */
export interface ArchiveProgress {
  /** Starts a new stage. `rows`: the total number of rows; null when it is unknown. */
  begin(stage: string, rows: number | null): void;
  /** Adds to the rows and bytes processed in this stage. */
  advance(rows: number, bytes: number): void;
}

/** Discards all progress. */
export const silentProgress: ArchiveProgress = { begin: () => undefined, advance: () => undefined };
