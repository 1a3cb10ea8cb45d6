import type { ErrorCode } from './error-codes.ts';

/** What a code means. */
export interface Explanation {
  /** What happened: one sentence. */
  readonly meaning: string;
  /** What the caller does next: one sentence. */
  readonly remedy: string;
}

/** Returns an explanation. */
export function explain(meaning: string, remedy: string): Explanation {
  return { meaning, remedy };
}

/** The explanations of some codes. */
export type ErrorExplanations = Partial<Readonly<Record<ErrorCode, Explanation>>>;
