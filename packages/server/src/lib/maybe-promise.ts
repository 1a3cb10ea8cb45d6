/**
 * A value or a promise of it: a step of a validation that reads nothing returns synchronously. Only the hot path uses this
 * type, because there an unnecessary promise per step costs more than the step.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value, synchronously when it is not a promise. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns all values in order, synchronously when none is a promise. */
export function whenAll<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}
