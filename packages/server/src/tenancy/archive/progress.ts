/** Who wants to know how far long work is. */
export interface ArchiveProgress {
  /** A new part of the work begins; `rows` in total, null where nobody knows. */
  begin(stage: string, rows: number | null): void;
  advance(rows: number, bytes: number): void;
}

/** For who does not want to know. */
export const silentProgress: ArchiveProgress = { begin: () => undefined, advance: () => undefined };
