import type { Actor } from './tenant.ts';

/** The actor of background work and of the operator's commands. */
export const systemActor: Actor = { type: 'system', id: null, requestId: null, ip: null };
