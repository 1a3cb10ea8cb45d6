import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';

/** The kind of the job that sends queued mails to license holders. */
export const holderMailJobKind = 'holder-mails';

/** The kind of the job that finds queued mails whose wake-up a crash lost. */
export const holderMailRepairJobKind = 'holder-mail-repair';

/** The properties of a type of mail to license holders. */
export interface HolderMailKind {
  /** Whether it is sent to the holders of a tenant that has not decided; null if it cannot be switched off. */
  readonly isOnByDefault: boolean | null;
  /** True if its values are secrets: they are deleted once it is sent, so it cannot be sent again. */
  readonly hasSecrets?: true;
  /** True if one change of the date causes very many of them. Single mails overtake them. */
  readonly isBulk?: true;
  /**
   * Whether an address that nobody confirmed gets it: `once` as the only mail, which has no words of the caller; `always`
   * if its sender limits it. Without it, such an address gets none.
   */
  readonly toUnconfirmed?: 'once' | 'always';
}

/** THE list of the types of mails to license holders. */
export const holderMailKinds = {
  'license.issued': { isOnByDefault: true, toUnconfirmed: 'once' },
  'license.key_replaced': { isOnByDefault: true },
  'license.renewed': { isOnByDefault: true },
  'license.expiring': { isOnByDefault: true, isBulk: true },
  'license.expired': { isOnByDefault: false, isBulk: true },
  'license.suspended': { isOnByDefault: false },
  'license.reinstated': { isOnByDefault: false },
  'activation.created': { isOnByDefault: false },
  'activation.limit_reached': { isOnByDefault: true },
  'trial.confirm': { isOnByDefault: null, hasSecrets: true, toUnconfirmed: 'always' },
  'portal.login': { isOnByDefault: null, hasSecrets: true, toUnconfirmed: 'once' },
  'portal.device_released': { isOnByDefault: true },
} as const satisfies Readonly<Record<string, HolderMailKind>>;

/** A type of mail to license holders. */
export type HolderMailType = keyof typeof holderMailKinds;

/** All types, in the order in which lists show them. */
export const holderMailTypes = Object.keys(holderMailKinds) as readonly HolderMailType[];

/** Returns the properties of a type. */
export function holderMailKind(type: HolderMailType): HolderMailKind {
  return holderMailKinds[type];
}

/** A switch that a tenant has set: of a type, for one product or (empty) for all. */
export interface HolderMailSwitch {
  readonly product_id: string;
  readonly type: string;
  readonly is_on: 0 | 1;
}

/**
 * Returns true if the tenant sends mails of the type about licenses of a product: the switch of the product, else the
 * tenant's, else the default decides. Types without a default are always sent.
 */
export function isSwitchedOn(
  switches: readonly HolderMailSwitch[],
  type: HolderMailType,
  productId: string | null,
): boolean {
  const byDefault = holderMailKind(type).isOnByDefault;
  if (byDefault === null) return true;
  const of = (id: string) => switches.find((one) => one.type === type && one.product_id === id);
  const chosen = (productId === null ? undefined : of(productId)) ?? of('');
  return chosen === undefined ? byDefault : chosen.is_on === 1;
}

/** The states of a mail. */
export const holderMailStates = [
  'queued',
  'sent',
  'refused',
  'cancelled',
] as const satisfies HolderMailsTable['state'][];
