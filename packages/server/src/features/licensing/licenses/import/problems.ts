import { AppError, type ErrorDetail } from '../../../../lib/error.ts';

export interface RowProblem extends ErrorDetail {
  readonly row: number;
}

/** A list of this length is still an answer that a person reads and a program takes in one piece. */
const listedMax = 10_000;

/** Ends the reading of a file: what follows cannot be told apart into rows any more. */
export class UnreadableFileError extends Error {
  readonly problem: RowProblem;

  constructor(row: number, field: string, message: string) {
    super(message);
    this.name = 'UnreadableFileError';
    this.problem = { row, field, message };
  }
}

/** What is wrong with a file: all is counted, and the first 10,000 problems are told. */
export class Problems {
  /** Bad rows. */
  rows = 0;
  readonly #listed: RowProblem[] = [];
  #unlisted = 0;

  /** Notes all that is wrong with one row, which is noted once. */
  add(row: number, details: readonly ErrorDetail[]): void {
    this.rows += 1;
    for (const { field, message } of details) {
      if (this.#listed.length < listedMax) this.#listed.push({ row, field, message });
      else this.#unlisted += 1;
    }
  }

  /** Takes over what was noted elsewhere. */
  addAll(others: Problems): void {
    this.rows += others.rows;
    this.#unlisted += others.#unlisted;
    for (const problem of others.#listed) {
      if (this.#listed.length < listedMax) this.#listed.push(problem);
      else this.#unlisted += 1;
    }
  }

  /** In the order of the file. */
  list(): RowProblem[] {
    return this.#listed.toSorted((left, right) => left.row - right.row);
  }

  /** The 422 of an import that wrote nothing. */
  toError(): AppError {
    const rows = this.rows === 1 ? 'a bad row' : `${this.rows} bad rows`;
    const more =
      this.#unlisted === 0 ? '' : ` Details tell the first ${listedMax} problems of ${listedMax + this.#unlisted}.`;
    const message = `The file has ${rows}, and nothing was imported.${more} Correct what the details name and send the file again.`;
    return new AppError('IMPORT.REJECTED', message, { details: this.list() });
  }
}
