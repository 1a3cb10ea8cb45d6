import type { Driver } from './driver.ts';
import type { JsonObject } from './json.ts';
import { compareAnswer, type Expected, type Outcome } from './outcome.ts';

/** A case of a function that needs no network. The result must contain the given fields. */
export interface OfflineCase extends Expected {
  readonly title: string;
  readonly operation: string;
  readonly arguments: JsonObject;
}

/** Runs the cases one after the other. */
export async function runOfflineCases(driver: Driver, cases: readonly OfflineCase[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const one of cases) {
    const answer = await driver.call({ operation: one.operation, arguments: one.arguments });
    outcomes.push({ title: one.title, problems: compareAnswer(one, answer, 'contains') });
  }
  return outcomes;
}
