import type { Account } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';

/** Creates a flag as an admin and returns its id. */
export async function createFlag(app: TestApp, admin: Account, key: string, definition: object): Promise<string> {
  const url = '/api/v1/admin/feature-flags';
  const answer = await app.request({ method: 'POST', url, headers: admin.auth, payload: { key, definition } });
  if (answer.status !== 201) throw new Error(`The flag ${key} was not created: ${answer.text}`);
  return answer.body.data.id;
}

/** Returns the definition of a boolean flag. */
export function booleanFlag(fields: object = {}): object {
  return { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off', ...fields };
}

interface Evaluation {
  /** The key of one flag. Without it, all flags are evaluated. */
  readonly key?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly context?: object;
  readonly payload?: string | object;
}

/** Sends an OFREP request without a client library. */
export function evaluate(
  app: TestApp,
  { key, headers, context = {}, payload = { context } }: Evaluation,
): Promise<Answer> {
  return app.request({
    method: 'POST',
    url: `/ofrep/v1/evaluate/flags${key === undefined ? '' : `/${key}`}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });
}
