/** A value or a promise of it, of a function that rarely has to wait. */
export type MaybePromise<T> = T | Promise<T>;
