import type { TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import type { CreateActivation } from '../../licensing/activations/schemas.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';

/** Everything that happens in the transaction of a trial. */
export interface TrialContext {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly tx: TenantTransaction;
  readonly outbox: Outbox;
  readonly actor: Actor;
  readonly at: Timestamp;
  /** The address of the tenant's portal; null while it is switched off. */
  readonly portalUrl: string | null;
}

/** What a device asks for. */
export interface Asked {
  readonly fingerprint: string;
  /** As it was sent. */
  readonly email: string | null;
  readonly name: string | null;
  readonly device: Omit<CreateActivation, 'fingerprint'>;
  /** The language of the application's request. */
  readonly language: MailLanguage | null;
}
