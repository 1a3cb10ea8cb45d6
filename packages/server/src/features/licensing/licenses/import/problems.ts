import { AppError, type ErrorDetail } from '../../../../lib/error.ts';

/** A problem with one row of a file, counted from 1; row 0 is the header. */
export interface RowProblem extends ErrorDetail {
  readonly row: number;
}

/** Bounds the size of the response. Further problems are only counted. */
const listedMax = 10_000;

/** Aborts the reading of a file: its remaining bytes cannot be divided into rows. */
export class UnreadableFileError extends Error {
  readonly problem: RowProblem;

  constructor(row: number, field: string, message: string) {
    super(message);
    this.name = 'UnreadableFileError';
    this.problem = { row, field, message };
  }
}

/** The problems of a file. All of them are counted, and the first 10,000 are listed. */
export class Problems {
  /** The number of invalid rows. */
  rows = 0;
  readonly #listed: RowProblem[] = [];
  #unlisted = 0;

  /** Adds every problem of one row. Must be called at most once per row. */
  add(row: number, details: readonly ErrorDetail[]): void {
    this.rows += 1;
    for (const { field, message } of details) {
      if (this.#listed.length < listedMax) this.#listed.push({ row, field, message });
      else this.#unlisted += 1;
    }
  }

  /** Adds one problem of the file, in row 0, which makes this number of rows invalid. */
  addWhole(rows: number, { field, message }: ErrorDetail): void {
    this.rows += rows;
    this.#listed.push({ row: 0, field, message });
  }

  /** Adds the problems of other rows. */
  addAll(others: Problems): void {
    this.rows += others.rows;
    this.#unlisted += others.#unlisted;
    for (const problem of others.#listed) {
      if (this.#listed.length < listedMax) this.#listed.push(problem);
      else this.#unlisted += 1;
    }
  }

  /** Returns the listed problems in the order of the file. */
  list(): RowProblem[] {
    return this.#listed.toSorted((left, right) => left.row - right.row);
  }

  /** Returns the 422 `IMPORT.REJECTED` of an import that wrote nothing. */
  toError(): AppError {
    const rows = this.rows === 1 ? '1 invalid row' : `${this.rows} invalid rows`;
    const more =
      this.#unlisted === 0 ? '' : ` The details list the first ${listedMax} of ${listedMax + this.#unlisted} problems.`;
    const message = `The file has ${rows}, so nothing was imported.${more} Correct them and send the file again.`;
    return new AppError('IMPORT.REJECTED', message, { details: this.list() });
  }
}
