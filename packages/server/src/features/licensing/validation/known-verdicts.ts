import type { ChangeMark } from '../../../db/change-mark.ts';
import { apiVersion } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { Generations } from '../../../lib/generations.ts';
import type { ValidateLicense, Verdict } from './schemas.ts';

/** A valid verdict. Cached until a row changes or it expires. */
export interface KnownVerdict {
  /** The conditions on which the verdict depends. Its `nonce` does not count. */
  readonly question: ValidateLicense;
  readonly licenseId: string;
  /** The number of changes that the mark had recorded before the rows were read. */
  readonly changes: number;
  readonly code: string;
  /** When it was given. The verdict may differ at an earlier moment, which matters if the clock goes backwards. */
  readonly from: Timestamp;
  /** The first moment at which time alone may change it. */
  readonly until: Timestamp;
  readonly text: VerdictText;
}

/** About 40,000 licenses with one question each. */
const bytesMax = 64 * 1024 * 1024;
/** The objects of a verdict, and the heads of its strings. */
const bytesPerVerdict = 600;
/** Questions per license, because devices that share one ask different questions. The newest ones are kept. */
const questionsMax = 8;

/** Weak, so that the verdicts of a mark are freed when the database has another one: nothing asks for them again. */
type Store = WeakMap<ChangeMark, Map<string, readonly KnownVerdict[]>>;

/**
 * Caches valid verdicts by the change mark of the tenant's database. A change by any process gives the database another
 * mark, under which nothing is cached, or is recorded in the mark for its license, so no verdict outlives a change by a
 * single request. When the memory is used up, the oldest half is dropped.
 */
export class KnownVerdicts {
  readonly #kept: Generations<Store>;

  constructor(bytes = bytesMax) {
    this.#kept = new Generations(bytes, () => new WeakMap());
  }

  /** Returns the verdict on a license in this state of the database, if it is known and time has not changed it. */
  find(mark: ChangeMark, key: string, question: ValidateLicense, now: Timestamp): KnownVerdict | undefined {
    const known = match(this.#kept.recent.get(mark)?.get(key), question) ?? this.#findOlder(mark, key, question);
    if (known === undefined || !mark.isUnchanged(known.licenseId, known.changes)) return undefined;
    return now >= known.from && now < known.until ? known : undefined;
  }

  /** Keeps a verdict. `mark` must have been taken before the rows of the verdict were read. */
  keep(mark: ChangeMark, key: string, verdict: KnownVerdict): void {
    const store = this.#kept.makeRoom(bytesPerVerdict + verdict.text.length);
    let ofMark = store.get(mark);
    if (ofMark === undefined) {
      ofMark = new Map();
      store.set(mark, ofMark);
    }
    const others = (ofMark.get(key) ?? []).filter(({ question }) => !isSame(question, verdict.question));
    ofMark.set(key, [verdict, ...others].slice(0, questionsMax));
  }

  #findOlder(mark: ChangeMark, key: string, question: ValidateLicense): KnownVerdict | undefined {
    const known = match(this.#kept.older.get(mark)?.get(key), question);
    if (known !== undefined) this.keep(mark, key, known);
    return known;
  }
}

function match(verdicts: readonly KnownVerdict[] | undefined, asked: ValidateLicense): KnownVerdict | undefined {
  return verdicts?.find(({ question }) => isSame(question, asked));
}

function isSame(left: ValidateLicense, right: ValidateLicense): boolean {
  return (
    left.fingerprint === right.fingerprint &&
    left.product === right.product &&
    left.version_released_at === right.version_released_at &&
    hasSameCodes(left.entitlements, right.entitlements)
  );
}

function hasSameCodes(left: ValidateLicense['entitlements'], right: ValidateLicense['entitlements']): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.length === right.length && left.every((code, index) => code === right[index]);
}

/** The values of a response that differ between two equal verdicts. */
interface Variables {
  readonly now: Timestamp;
  readonly nonce: string | undefined;
  readonly requestId: string;
}

/**
 * Placeholders of the variables in a serialised response. Other values of a verdict rarely have such a character. JSON
 * escapes it, so the text of a license with only Latin letters keeps one byte per character.
 */
const places = { now: '\u0001now', nonce: '\u0001nonce', requestId: '\u0001request' } as const;
const anyPlace = /"\\u0001(now|nonce|request)"/;
/** `checked_at`, `nonce`, `last_validated_at` of the license, and the request id: the order of the response schema. */
const order = ['now', 'nonce', 'now', 'request'].join();

/** The JSON text of a response with a valid verdict, without the values that differ each time. */
export class VerdictText {
  /** The number of characters. */
  readonly length: number;
  readonly #beforeCheckedAt: string;
  readonly #beforeNonce: string;
  readonly #beforeValidatedAt: string;
  readonly #beforeRequestId: string;
  readonly #end: string;

  private constructor(literals: readonly string[]) {
    const [beforeCheckedAt = '', beforeNonce = '', beforeValidatedAt = '', beforeRequestId = '', end = ''] = literals;
    this.#beforeCheckedAt = `${beforeCheckedAt}"`;
    this.#beforeNonce = `"${beforeNonce}`;
    this.#beforeValidatedAt = `${beforeValidatedAt}"`;
    this.#beforeRequestId = `"${beforeRequestId}"`;
    this.#end = `"${end}`;
    this.length = literals.reduce((sum, literal) => sum + literal.length, 0);
  }

  /**
   * Serialises a valid verdict with the serialiser of its response. Returns undefined if a text of the license looks
   * like a placeholder.
   */
  static of(verdict: Verdict, serialise: (envelope: object) => string): VerdictText | undefined {
    const license = verdict.license && { ...verdict.license, last_validated_at: places.now };
    const data = { ...verdict, license, checked_at: places.now, nonce: places.nonce };
    const meta = { request_id: places.requestId, api_version: apiVersion };
    const pieces = serialise({ data, meta }).split(anyPlace);
    const found = pieces.filter((_piece, index) => index % 2 === 1).join();
    return found === order ? new VerdictText(pieces.filter((_piece, index) => index % 2 === 0)) : undefined;
  }

  /** Returns the text of one response. */
  with({ now, nonce, requestId }: Variables): string {
    const nonceText = nonce === undefined ? 'null' : JSON.stringify(nonce);
    return `${this.#beforeCheckedAt}${now}${this.#beforeNonce}${nonceText}${this.#beforeValidatedAt}${now}${this.#beforeRequestId}${requestId}${this.#end}`;
  }
}
