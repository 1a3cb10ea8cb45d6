import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect } from 'vitest';

/**
 * Preloaded for the suites on PostgreSQL. If `RECORD_STATEMENTS` names a file, adds to it which statements each test file
 * sends, with their outcomes, and how long the test file takes. `scripts/postgres-cover.mjs` reads it. Statements of child
 * processes are not recorded.
 */
const output = process.env['RECORD_STATEMENTS'] ?? '';
const file = relative(process.cwd(), expect.getState().testPath ?? '');
const startedAtMs = performance.now();

/** What the suites of a worker share: the test file that runs, and what was recorded of it. */
interface Recording {
  file: string;
  seen: Set<string>;
}

const key = Symbol.for('recorded statements');
const before: Recording | undefined = Reflect.get(globalThis, key);
const recording: Recording = before ?? { file, seen: new Set() };
Object.assign(recording, { file, seen: new Set() });

function write(line: object): void {
  appendFileSync(output, `${JSON.stringify(line)}\n`);
}

/** Returns the statement without what differs from run to run: names, values, and how many there are in a list. */
function generalized(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\b(platform|tenant|test)_[0-9a-f_]{8,}\b/g, '$1')
    .replace(/'(?:[^']|'')*'|\$\d+|\b\d+\b/g, '?')
    .replace(/\((?:\?(?:::\w+)?(?:, ?)?)+\)/g, '(?)')
    .replace(/\(\?\)(?:, ?\(\?\))+/g, '(?)');
}

function note(text: string, outcome: string): void {
  const line = { file: recording.file, outcome, statement: generalized(text) };
  const entry = JSON.stringify(line);
  if (recording.seen.has(entry)) return;
  recording.seen.add(entry);
  write(line);
}

/** `rows`: the statement returned or changed some, so that their values were read too. */
function outcomeOf(error: unknown, result: unknown): string {
  if (error !== null) return `error ${Reflect.get(Object(error), 'code')}`;
  const counts = [result].flat().map((one) => Number(Reflect.get(Object(one), 'rowCount')));
  return counts.some((count) => count > 0) ? 'rows' : 'none';
}

const { query } = Client.prototype;

function recordStatement(this: Client, ...[statement, ...rest]: readonly unknown[]): unknown {
  const { text, callback } = Object(typeof statement === 'string' ? { text: statement } : statement);
  if (typeof callback === 'function') {
    // The statement of a pipeline, which reports its outcome to its own callback.
    Object.assign(Object(statement), {
      callback(this: unknown, error: unknown, result: unknown) {
        note(text, outcomeOf(error, result));
        return Reflect.apply(callback, this, [error, result]);
      },
    });
    return Reflect.apply(query, this, [statement, ...rest]);
  }
  const answer = Reflect.apply(query, this, [statement, ...rest]);
  void Promise.resolve(answer).then(
    (result) => note(text, outcomeOf(null, result)),
    (error) => note(text, outcomeOf(error, undefined)),
  );
  return answer;
}

if (output !== '') afterAll(() => write({ file, seconds: (performance.now() - startedAtMs) / 1000 }));
// The suites of a worker share the driver.
if (output !== '' && before === undefined) {
  Reflect.set(globalThis, key, recording);
  Object.assign(Client.prototype, { query: recordStatement });
}
