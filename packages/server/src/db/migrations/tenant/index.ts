import type { Migrations } from '../migrate.ts';
import { up as foundation } from './0001-foundation.ts';
import { up as signingKeys } from './0002-signing-keys.ts';
import { up as idempotencyKeys } from './0003-idempotency-keys.ts';
import { up as settings } from './0004-settings.ts';
import { up as entitlements } from './0005-entitlements.ts';
import { up as usage } from './0006-usage.ts';
import { up as notifications } from './0007-notifications.ts';
import { up as failedRequests } from './0008-failed-requests.ts';
import { up as listFilters } from './0009-list-filters.ts';
import { up as expiring } from './0010-expiring.ts';
import { up as webhooks } from './0011-webhooks.ts';
import { up as takenSeats } from './0012-taken-seats.ts';
import { up as licenseEnds } from './0013-license-ends.ts';
import { up as notificationMails } from './0014-notification-mails.ts';
import { up as planUse } from './0017-plan-use.ts';

/** The migrations of a tenant's database, in order. Their names are in its ledger: never rename one. */
export const tenantMigrations: Migrations = {
  '0001-foundation': { up: foundation },
  '0002-signing-keys': { up: signingKeys },
  '0003-idempotency-keys': { up: idempotencyKeys },
  '0004-settings': { up: settings },
  '0005-entitlements': { up: entitlements },
  '0006-usage': { up: usage },
  '0007-notifications': { up: notifications },
  '0008-failed-requests': { up: failedRequests },
  '0009-list-filters': { up: listFilters },
  '0010-expiring': { up: expiring },
  '0011-webhooks': { up: webhooks },
  '0012-taken-seats': { up: takenSeats },
  '0013-license-ends': { up: licenseEnds },
  '0014-notification-mails': { up: notificationMails },
  '0017-plan-use': { up: planUse },
};
