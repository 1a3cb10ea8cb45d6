import type { ErrorDetail } from '../../../../lib/error.ts';

/** Collects the problems of a definition, each with the dotted path of the mistake. */
export class Problems {
  readonly #details: ErrorDetail[] = [];

  add(path: readonly (string | number)[], message: string): undefined {
    // A definition can contain thousands of mistakes. The first 100 are enough for a person to correct at once.
    if (this.#details.length < 100) this.#details.push({ field: path.join('.'), message });
  }

  get details(): readonly ErrorDetail[] {
    return this.#details;
  }
}

/** The path of a value in a definition: names of fields and indices of lists. */
export type Path = readonly (string | number)[];
/** A JSON object of any content. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for an object that is neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
