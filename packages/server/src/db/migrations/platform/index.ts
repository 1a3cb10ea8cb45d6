import type { Migrations } from '../migrate.ts';
import { up as baseline } from './0001-baseline.ts';
import { up as apiKeyAddressLimit } from './0002-api-key-address-limit.ts';
import { up as userIdempotencyKeys } from './0003-user-idempotency-keys.ts';
import { up as unsubscribedTokens } from './0004-unsubscribed-tokens.ts';
import { up as migrationFailures } from './0005-migration-failures.ts';
import { up as nodes } from './0006-nodes.ts';
import { up as moveLease } from './0007-move-lease.ts';
import { up as tenantAccessTokens } from './0008-tenant-access-tokens.ts';
import { up as verdictPoints } from './0009-verdict-points.ts';
import { up as operationsReports } from './0010-operations-reports.ts';
import { up as demoRows } from './0011-demo-rows.ts';
import { up as commerce } from './0012-commerce.ts';
import { up as sandboxCoupons } from './0013-sandbox-coupons.ts';
import { up as people } from './0014-people.ts';
import { up as singleSignOn } from './0015-single-sign-on.ts';
import { up as singleInvoices } from './0016-single-invoices.ts';
import { up as subscriptions } from './0017-subscriptions.ts';
import { up as auditors } from './0018-auditors.ts';
import { up as lastBackup } from './0019-last-backup.ts';
import { up as appKeys } from './0020-app-keys.ts';
import { up as mailLimits } from './0021-mail-limits.ts';
import { up as portalHandles } from './0022-portal-handles.ts';
import { up as salesConnections } from './0023-sales-connections.ts';
import { up as catalog } from './0024-catalog.ts';
import { up as noChangeMarks } from './0025-no-change-marks.ts';
import { up as membersOfCopies } from './0026-members-of-copies.ts';
import { up as supportRole } from './0027-support-role.ts';
import { up as finishedPlacements } from './0028-finished-placements.ts';
import { up as portalDomains } from './0029-portal-domains.ts';

/** The migrations of the platform database, in order. Each database's ledger stores their names: never rename one. */
export const platformMigrations: Migrations = {
  '0001-baseline': { up: baseline },
  '0002-api-key-address-limit': { up: apiKeyAddressLimit, servedFrom: '0001-baseline' },
  '0003-user-idempotency-keys': { up: userIdempotencyKeys, servedFrom: '0001-baseline' },
  '0004-unsubscribed-tokens': { up: unsubscribedTokens, servedFrom: '0001-baseline' },
  '0005-migration-failures': { up: migrationFailures, servedFrom: '0001-baseline' },
  '0006-nodes': { up: nodes, servedFrom: '0001-baseline' },
  '0007-move-lease': { up: moveLease, servedFrom: '0001-baseline' },
  '0008-tenant-access-tokens': { up: tenantAccessTokens, servedFrom: '0001-baseline' },
  '0009-verdict-points': { up: verdictPoints, servedFrom: '0001-baseline' },
  '0010-operations-reports': { up: operationsReports, servedFrom: '0001-baseline' },
  '0011-demo-rows': { up: demoRows, servedFrom: '0001-baseline' },
  '0012-commerce': { up: commerce, servedFrom: '0001-baseline' },
  '0013-sandbox-coupons': { up: sandboxCoupons, servedFrom: '0001-baseline' },
  '0014-people': { up: people, servedFrom: '0001-baseline' },
  '0015-single-sign-on': { up: singleSignOn, servedFrom: '0001-baseline' },
  '0016-single-invoices': { up: singleInvoices, servedFrom: '0001-baseline' },
  '0017-subscriptions': { up: subscriptions, servedFrom: '0001-baseline' },
  '0018-auditors': { up: auditors, servedFrom: '0001-baseline' },
  '0019-last-backup': { up: lastBackup, servedFrom: '0001-baseline' },
  '0020-app-keys': { up: appKeys, servedFrom: '0001-baseline' },
  '0021-mail-limits': { up: mailLimits, servedFrom: '0001-baseline' },
  '0022-portal-handles': { up: portalHandles, servedFrom: '0001-baseline' },
  '0023-sales-connections': { up: salesConnections, servedFrom: '0001-baseline' },
  '0024-catalog': { up: catalog, servedFrom: '0001-baseline' },
  '0025-no-change-marks': {
    up: noChangeMarks,
    servedFrom: { sqlite: '0001-baseline', postgres: '0025-no-change-marks' },
  },
  '0026-members-of-copies': {
    up: membersOfCopies,
    servedFrom: { sqlite: '0001-baseline', postgres: '0025-no-change-marks' },
  },
  '0027-support-role': { up: supportRole },
  '0028-finished-placements': { up: finishedPlacements, servedFrom: '0027-support-role' },
  '0029-portal-domains': { up: portalDomains, servedFrom: '0027-support-role' },
};
