import { batchedRule } from '../retention/retention.ts';
import { deleteExpiredAttempts } from './queries.ts';

/** Deletes expired idempotency keys; each key stores its own expiry time. */
export const idempotencyRetention = batchedRule((tx, { now }, limit) => deleteExpiredAttempts(tx, now, limit));
