/** Changes that the load makes: the audit code and the event type that tell of each. */
export const reported = {
  'LICENSE.CREATED': 'license.created',
  'LICENSE.SUSPENDED': 'license.suspended',
  'LICENSE.REINSTATED': 'license.reinstated',
  'LICENSE.DELETED': 'license.deleted',
  'ACTIVATION.CREATED': 'activation.created',
  'ACTIVATION.DEACTIVATED': 'activation.deactivated',
} as const;

export type ChangeCode = keyof typeof reported;

/** One thing that the load asked for. */
export interface Attempt {
  readonly code: ChangeCode;
  /** Of every request that asked for it: a creation is repeated under its Idempotency-Key after a crash. */
  readonly requestIds: string[];
  /**
   * `changed`: answered with 2xx. `unchanged`: answered with 4xx, or with 2xx where there was nothing to change.
   * `unknown`: the process died first.
   */
  outcome: 'changed' | 'unchanged' | 'unknown';
  /** What was changed, where an answer told. */
  resourceId: string | null;
}

/** What was reported as used of a license: its counter is `counted`, and any part of `unknown` more. */
export interface Consumption {
  readonly licenseId: string;
  readonly key: string;
  counted: number;
  unknown: number;
}
