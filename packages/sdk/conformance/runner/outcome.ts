import { type Comparison, differences } from './compare.ts';
import type { DriverAnswer } from './driver.ts';
import type { Json } from './json.ts';

/** One case with what is wrong; nothing is wrong if it passed. */
export interface Outcome {
  readonly title: string;
  readonly problems: readonly string[];
}

/** What a call must result in. */
export interface Expected {
  readonly result?: Json;
  readonly error?: Json;
}

/** Compares an answer of the driver with what the case expects: a result, or the listed fields of an error. */
export function compareAnswer({ result, error }: Expected, answer: DriverAnswer, comparison: Comparison): string[] {
  if (error !== undefined) {
    if (answer.error === undefined)
      return [`expected the error ${JSON.stringify(error)}, got a result: ${show(answer.result)}`];
    return differences(error, answer.error, 'contains', 'error');
  }
  if (answer.error !== undefined) return [`expected a result, got the error ${show(answer.error)}`];
  return differences(result ?? null, answer.result ?? null, comparison, 'result');
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 400);
}
