/** The kinds of change in the load, with the audit code and the event type that report each. */
export const reported = {
  'LICENSE.CREATED': 'license.created',
  'LICENSE.SUSPENDED': 'license.suspended',
  'LICENSE.REINSTATED': 'license.reinstated',
  'LICENSE.DELETED': 'license.deleted',
  'ACTIVATION.CREATED': 'activation.created',
  'ACTIVATION.DEACTIVATED': 'activation.deactivated',
} as const;

export type ChangeCode = keyof typeof reported;

/** One change that the load requested. */
export interface Attempt {
  readonly code: ChangeCode;
  /** Ids of all its requests. After a crash a creation is repeated with the same Idempotency-Key. */
  readonly requestIds: string[];
  /**
   * `changed`: the response was 2xx. `unchanged`: it was 4xx, or 2xx without anything to change.
   * `unknown`: the process ended before it responded.
   */
  outcome: 'changed' | 'unchanged' | 'unknown';
  /** Id of the changed resource, if a response named it. */
  resourceId: string | null;
}

/** Reported usage of a license. Its counter must be between `counted` and `counted + unknown`. */
export interface Consumption {
  readonly licenseId: string;
  readonly key: string;
  counted: number;
  unknown: number;
}
