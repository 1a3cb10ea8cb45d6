import { setImmediate as nextIteration } from 'node:timers/promises';
import { ChangeMark } from '../change-mark.ts';
import { type ChangeMarkReader, describeServer, isPooled, type PostgresOptions } from './client.ts';
import { createConnectionBudget } from './connection-budget.ts';
import { PipelinedConnection, type PostgresStatement } from './pipelined-connection.ts';

/** Shorter than for other statements: without a mark, the caller reads the rows themselves. */
const answerTimeoutMs = 5_000;
/** After a failure no mark is read for so long, so that requests do not wait for a server that refuses connections. */
const pauseMs = 1_000;
/** One connection, and another while a broken one is being closed. */
const connectionsMax = 2;

/**
 * The comment on a database is in a catalogue that all databases of a server share. Each transaction that changes a
 * watched table replaces it (db/migrations/change-mark.ts), so a session of any database sees the new comment as soon
 * as any session sees the change. The oid distinguishes a database from a former one of the same name.
 */
const marksSql = `
  select datname as name, concat(d.oid, ' ', (
    select description from pg_shdescription
    where objoid between d.oid and d.oid and classoid = 'pg_database'::regclass
    order by objoid desc limit 1)) as mark
  from pg_database d
  where datname = any($1::name[])`;

/**
 * Makes the planner read the index of comments backward. Until the end of the oldest transaction of the server, former
 * comments are still there; the current one is usually the last. Otherwise 360,000 former ones take 20 ms.
 */
const readBackward = '-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off';

/** The mark of a database, and what the server's text for it says. */
interface KnownMark {
  readonly text: string;
  /** The text without the changes of licenses; undefined if it has another form. */
  readonly state: string | undefined;
  /** How many changes of licenses this state has had. */
  readonly changes: number;
  /** The entry of the latest change. */
  readonly latest: string | undefined;
  readonly mark: ChangeMark;
}

/** The oid, `change mark`, a random text, the number of changes, and the entries of the latest ones. */
const form = /^(?<state>\d+ change mark \S+) (?<changes>\d+)(?<entries>(?: \S+)*)$/;
const licenseDigits = 4;

/** Returns the mark for a new text: the former one with the licenses that changed since, or another one. */
function following(former: KnownMark | undefined, text: string): KnownMark {
  const { state, changes = '0', entries = '' } = form.exec(text)?.groups ?? {};
  const listed = entries.split(' ').slice(1);
  const next = { text, state, changes: Number(changes), latest: listed[0] };
  const missed = next.changes - (former?.changes ?? 0);
  // If the server lost changes after a failure, another entry is where the one was that is known here.
  const continues =
    former !== undefined &&
    state !== undefined &&
    state === former.state &&
    missed >= 0 &&
    missed <= listed.length &&
    listed[missed] === former.latest;
  if (!continues || former.mark.isFull) return { ...next, mark: new ChangeMark() };
  for (const entry of listed.slice(0, missed)) former.mark.record(entry.slice(0, licenseDigits));
  return { ...next, mark: former.mark };
}

/**
 * Reads the change marks of all databases of one server on one connection, which `TENANT_CONNECTIONS_PER_SERVER` does
 * not include. The connection is opened with the first read and closed when the last reader has left.
 */
export class ServerChangeMarks {
  readonly #options: PostgresOptions;
  readonly #onError: (error: unknown) => void;
  #readers = 0;
  #connection: PipelinedConnection | undefined;
  /** The reads that the next statement answers, by the name of the database. */
  #waiting = new Map<string, PromiseWithResolvers<string | undefined>>();
  #isReading = false;
  #pausedUntilMs = 0;
  #isFailing = false;

  /** `options` name any database of the server. Of consecutive failed reads only the first is passed to `onError`. */
  constructor(options: Omit<PostgresOptions, 'onError'>, onError: (error: unknown) => void = () => undefined) {
    this.#options = { ...options, answerTimeoutMs, sessionOptions: readBackward };
    this.#onError = onError;
  }

  /** Returns a reader for a database. The caller must call `leave` once. */
  join(database: string): ChangeMarkReader {
    let known: KnownMark | undefined;
    this.#readers += 1;
    return {
      read: async () => {
        const text = await this.#read(database);
        if (text === undefined) return undefined;
        if (known?.text !== text) known = following(known, text);
        return known.mark;
      },
      leave: () => this.#leave(),
    };
  }

  async #leave(): Promise<void> {
    this.#readers -= 1;
    if (this.#readers > 0) return;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  /** The reads that wait at the same time share a statement. */
  #read(database: string): Promise<string | undefined> {
    if (performance.now() < this.#pausedUntilMs) return Promise.resolve(undefined);
    let waiting = this.#waiting.get(database);
    if (waiting === undefined) {
      waiting = Promise.withResolvers();
      this.#waiting.set(database, waiting);
    }
    if (!this.#isReading) void this.#readWaiting();
    return waiting.promise;
  }

  async #readWaiting(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.size > 0) {
      // The requests of the same poll of the event loop share the statement too.
      await nextIteration();
      const reads = this.#waiting;
      this.#waiting = new Map();
      const marks = await this.#marksOf([...reads.keys()]);
      for (const [name, { resolve }] of reads) resolve(marks.get(name));
    }
    this.#isReading = false;
  }

  async #marksOf(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    try {
      this.#connection ??= this.#open();
      const { rows } = await this.#connection.send(this.#statement(names));
      this.#isFailing = false;
      return new Map(rows.map(({ name, mark }) => [String(name), String(mark)]));
    } catch (error) {
      // The caller reads the rows instead.
      if (!this.#isFailing) this.#onError(error);
      this.#isFailing = true;
      this.#pausedUntilMs = performance.now() + pauseMs;
      return new Map();
    }
  }

  #statement(names: readonly string[]): PostgresStatement {
    const statement = { text: marksSql, values: [names] };
    return isPooled(this.#options) ? statement : { ...statement, name: 'change-marks' };
  }

  #open(): PipelinedConnection {
    const server = describeServer(this.#options);
    const budget = createConnectionBudget({ server, limit: connectionsMax });
    return new PipelinedConnection({ options: this.#options, server, budget }, () => undefined);
  }
}
