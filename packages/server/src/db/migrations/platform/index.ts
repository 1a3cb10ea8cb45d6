import type { Migrations } from '../migrate.ts';
import { up as foundation } from './0001-foundation.ts';
import { up as tenantJobs } from './0002-tenant-jobs.ts';
import { up as listIndexes } from './0003-list-indexes.ts';
import { up as invitationLists } from './0004-invitation-lists.ts';
import { up as notificationDigests } from './0005-notification-digests.ts';
import { up as jobs } from './0006-jobs.ts';
import { up as identity } from './0007-identity.ts';
import { up as marketing } from './0008-marketing.ts';
import { up as billing } from './0009-billing.ts';
import { up as payments } from './0010-payments.ts';
import { up as onboarding } from './0011-onboarding.ts';
import { up as featureFlags } from './0012-feature-flags.ts';
import { up as account } from './0013-account.ts';
import { up as administration } from './0014-administration.ts';
import { up as activity } from './0015-activity.ts';
import { up as billingWork } from './0016-billing-work.ts';
import { up as tenantMoves } from './0017-tenant-moves.ts';

/** The migrations of the platform database, in order. Their names are in its ledger: never rename one. */
export const platformMigrations: Migrations = {
  '0001-foundation': { up: foundation },
  '0002-tenant-jobs': { up: tenantJobs },
  '0003-list-indexes': { up: listIndexes },
  '0004-invitation-lists': { up: invitationLists },
  '0005-notification-digests': { up: notificationDigests },
  '0006-jobs': { up: jobs },
  '0007-identity': { up: identity },
  '0008-marketing': { up: marketing },
  '0009-billing': { up: billing },
  '0010-payments': { up: payments },
  '0011-onboarding': { up: onboarding },
  '0012-feature-flags': { up: featureFlags },
  '0013-account': { up: account },
  '0014-administration': { up: administration },
  '0015-activity': { up: activity },
  '0016-billing-work': { up: billingWork },
  '0017-tenant-moves': { up: tenantMoves },
};
