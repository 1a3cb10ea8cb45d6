/**
 * A value, or a promise of it. The embedded engine answers at once and PostgreSQL later; on the hot path
 * a needless promise per step costs more than the step, so both are allowed there and nowhere else.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value, at once when it is already there. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All the values in their order, at once when all are already there. */
export function whenAll<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}
