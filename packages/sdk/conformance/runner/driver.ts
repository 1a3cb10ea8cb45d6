import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { isObject, type JsonObject } from './json.ts';

/** The client that a call uses. The driver creates it at its first use, and keeps it under its name. */
export interface ClientOptions {
  readonly name: string;
  readonly base_url: string;
  readonly api_key: string;
  readonly timeout_ms?: number;
  readonly max_retries?: number;
  /** True if waits between attempts must be reported instead of waited for. */
  readonly is_time_simulated?: boolean;
}

/** One call of an SDK. */
export interface DriverRequest {
  readonly operation: string;
  readonly arguments: JsonObject;
  readonly client?: ClientOptions;
}

/** What came of a call: a result or an error in the form of the wire, and the waits between its attempts. */
export interface DriverAnswer {
  readonly result?: unknown;
  readonly error?: unknown;
  readonly waited_ms?: readonly number[];
}

/** A call that takes longer hangs. */
const answerWithinMs = 30_000;

/** The program that performs calls with the SDK under test: one JSON object per line in both directions. */
export class Driver {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (answer: DriverAnswer) => void>();
  #lastId = 0;
  #hasEnded = false;

  constructor(command: readonly string[]) {
    const [program = '', ...parameters] = command;
    this.#process = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.on('error', (error) => this.#end(`The driver could not be started: ${error.message}`));
    this.#process.on('exit', (code, signal) => this.#end(`The driver ended (${signal ?? code}).`));
    this.#process.stdin.on('error', () => undefined);
    createInterface({ input: this.#process.stdout }).on('line', (line) => this.#receive(line));
  }

  /** Performs a call. Never rejects: a driver that fails has answered with an error. */
  call(request: DriverRequest): Promise<DriverAnswer> {
    if (this.#hasEnded) return Promise.resolve(driverError('The driver has ended.'));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(driverError(`No answer within ${answerWithinMs} ms.`)), answerWithinMs);
      const settle = (answer: DriverAnswer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      this.#waiting.set(id, settle);
      this.#process.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  /** Closes the driver's input, at which it should end, and ends it if it does not. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stdin.end();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 2000);
    await ended;
    clearTimeout(timer);
  }

  #receive(line: string): void {
    const answer = parse(line);
    if (answer === undefined) {
      process.stderr.write(`The driver wrote a line that is no answer: ${line.slice(0, 200)}\n`);
      return;
    }
    this.#waiting.get(answer.id)?.(answer);
  }

  #end(message: string): void {
    this.#hasEnded = true;
    for (const settle of [...this.#waiting.values()]) settle(driverError(message));
  }
}

function driverError(message: string): DriverAnswer {
  return { error: { code: 'DRIVER.FAILED', message } };
}

function parse(line: string): (DriverAnswer & { readonly id: number }) | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && typeof value['id'] === 'number' ? { ...value, id: value['id'] } : undefined;
  } catch {
    return undefined;
  }
}
