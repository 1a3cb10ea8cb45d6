import { apiVersion } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Verdict } from './schemas.ts';

/** The values of a response that differ between two equal verdicts. */
interface Variables {
  readonly now: Timestamp;
  readonly nonce: string | undefined;
  readonly requestId: string;
}

/**
 * Stand for the variables in a serialised response. No other value of a verdict usually has such a character. JSON
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
   * Serialises a valid verdict with the serialiser of its response. Returns undefined for a license whose own texts
   * look like the place of a variable.
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
