import { listMissingKeys, missingKey } from '../../db/app-keys.ts';
import type { Database, PlatformDb } from '../../db/database.ts';
import { countByKey, type SealedColumn } from '../../db/sealed.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const unreadableMax = 10;

/** Opens every sealed value of the databases that it is given, and reports what their application keys are. */
export class SecretCheck {
  readonly #keyring: Keyring;
  readonly #byKey = new Map<string, number>();
  readonly #unreadable: string[] = [];
  #unreadableCount = 0;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** Counts the values of one database. `name` says whose it is. */
  async add<Tables>(
    name: string,
    database: Pick<Database<Tables>, 'query'>,
    columns: readonly SealedColumn<Tables>[],
  ): Promise<void> {
    const known = new Set([this.#keyring.fingerprint, ...this.#keyring.previousFingerprints]);
    for (const column of columns) {
      for (const [fingerprint, count] of await countByKey(database, column, this.#keyring)) {
        this.#byKey.set(fingerprint, (this.#byKey.get(fingerprint) ?? 0) + count);
        if (known.has(fingerprint)) continue;
        this.#unreadableCount += count;
        if (this.#unreadable.length < unreadableMax) {
          this.#unreadable.push(`${count} ${column.what} of ${name} (key: ${fingerprint})`);
        }
      }
    }
  }

  /** Reports the missing keys, the values that no key opens, and the values that need a former key. */
  async *findings(platform: PlatformDb): AsyncGenerator<Finding> {
    for (const key of await listMissingKeys(platform, this.#keyring)) {
      const { text, advice } = missingKey(key);
      yield problem(text, advice);
    }
    if (this.#unreadableCount > 0) {
      yield problem(
        `No configured application key opens ${this.#unreadableCount} stored secrets: ${this.#unreadable.join(', ')}.`,
        'Add the key to APP_PREVIOUS_KEYS. If it is lost: docs/operating/incidents.md, "A lost application key".',
      );
    }
    for (const fingerprint of this.#keyring.previousFingerprints) {
      const count = this.#byKey.get(fingerprint) ?? 0;
      if (count === 0) continue;
      yield warning(
        `${count} stored secrets are encrypted under the former application key ${fingerprint}.`,
        'Run "licensing keys reseal" before you remove that key.',
      );
    }
    const current = this.#byKey.get(this.#keyring.fingerprint) ?? 0;
    const total = this.#byKey.values().reduce((sum, count) => sum + count, 0);
    if (current === total) yield ok(`All ${total} stored secrets open with the application key`);
    else yield ok(`${current} of ${total} stored secrets open with the application key`);
  }
}
