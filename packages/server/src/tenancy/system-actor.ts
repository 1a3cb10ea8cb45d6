import type { Actor } from './tenant.ts';

/** The service itself: background work and operators' commands. */
export const systemActor: Actor = { type: 'system', id: null, requestId: null, ip: null };
