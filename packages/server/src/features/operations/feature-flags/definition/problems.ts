import type { ErrorDetail } from '../../../../lib/error.ts';

/** Gathers what is wrong with a definition, each with the dotted path of the mistake. */
export class Problems {
  readonly #details: ErrorDetail[] = [];

  add(path: readonly (string | number)[], message: string): undefined {
    // A definition can hold thousands of mistakes, and nobody corrects more than these at once.
    if (this.#details.length < 100) this.#details.push({ field: path.join('.'), message });
  }

  get details(): readonly ErrorDetail[] {
    return this.#details;
  }
}

export type Path = readonly (string | number)[];
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
