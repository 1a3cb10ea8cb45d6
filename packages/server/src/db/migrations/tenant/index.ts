import type { Migrations } from '../migrate.ts';
import { up as baseline } from './0001-baseline.ts';
import { up as signingKey } from './0002-signing-key.ts';
import { up as actorCreatedBy } from './0003-actor-created-by.ts';
import { up as importedResources } from './0004-imported-resources.ts';
import { up as notificationResource } from './0005-notification-resource.ts';
import { up as licensesByExpiry } from './0006-licenses-by-expiry.ts';
import { up as changeMark } from './0007-change-mark.ts';
import { up as licenseOrderNumber } from './0008-license-order-number.ts';
import { up as changedLicenses } from './0009-changed-licenses.ts';
import { up as holderMails } from './0010-holder-mails.ts';
import { up as portal } from './0011-portal.ts';
import { up as customers } from './0012-customers.ts';
import { up as trials } from './0013-trials.ts';
import { up as sales } from './0014-sales.ts';
import { up as catalog } from './0015-catalog.ts';
import { up as checks } from './0016-checks.ts';
import { up as bulkOperations } from './0017-bulk-operations.ts';
import { up as licenseImports } from './0018-license-imports.ts';
import { up as noChangeMarks } from './0019-no-change-marks.ts';
import { up as terms } from './0020-terms.ts';
import { up as leases } from './0021-leases.ts';
import { up as fingerprints } from './0022-fingerprints.ts';
import { up as foldedAddresses } from './0023-folded-addresses.ts';
import { up as saleStates } from './0024-sale-states.ts';
import { up as languagesAndOffers } from './0025-languages-and-offers.ts';
import { up as unconfirmedAddresses } from './0026-unconfirmed-addresses.ts';
import { up as lastingImports } from './0027-lasting-imports.ts';
import { up as noImportedResources } from './0028-no-imported-resources.ts';
import { up as monthEnds } from './0029-month-ends.ts';
import { up as webhookHeaders } from './0030-webhook-headers.ts';
import { up as releases } from './0031-releases.ts';
import { up as components } from './0032-components.ts';

/** The migrations of a tenant's database, in order. Each database's ledger stores their names: never rename one. */
export const tenantMigrations: Migrations = {
  '0001-baseline': { up: baseline },
  '0002-signing-key': { up: signingKey, servedFrom: '0001-baseline' },
  '0003-actor-created-by': { up: actorCreatedBy, servedFrom: '0001-baseline' },
  '0004-imported-resources': { up: importedResources, servedFrom: '0001-baseline' },
  '0005-notification-resource': { up: notificationResource, servedFrom: '0001-baseline' },
  '0006-licenses-by-expiry': { up: licensesByExpiry, servedFrom: '0001-baseline' },
  '0007-change-mark': { up: changeMark, servedFrom: '0001-baseline' },
  '0008-license-order-number': { up: licenseOrderNumber, servedFrom: '0001-baseline' },
  '0009-changed-licenses': { up: changedLicenses, servedFrom: '0001-baseline' },
  '0010-holder-mails': { up: holderMails, servedFrom: '0001-baseline' },
  '0011-portal': { up: portal, servedFrom: '0001-baseline' },
  '0012-customers': { up: customers, servedFrom: '0001-baseline' },
  '0013-trials': { up: trials, servedFrom: '0001-baseline' },
  '0014-sales': { up: sales, servedFrom: '0001-baseline' },
  '0015-catalog': { up: catalog, servedFrom: '0001-baseline' },
  '0016-checks': { up: checks, servedFrom: '0001-baseline' },
  '0017-bulk-operations': { up: bulkOperations, servedFrom: '0001-baseline' },
  '0018-license-imports': { up: licenseImports, servedFrom: '0001-baseline' },
  '0019-no-change-marks': {
    up: noChangeMarks,
    servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' },
  },
  '0020-terms': { up: terms, servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' } },
  '0021-leases': { up: leases, servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' } },
  '0022-fingerprints': { up: fingerprints, servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' } },
  '0023-folded-addresses': {
    up: foldedAddresses,
    servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' },
  },
  '0024-sale-states': { up: saleStates, servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' } },
  '0025-languages-and-offers': {
    up: languagesAndOffers,
    servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' },
  },
  '0026-unconfirmed-addresses': {
    up: unconfirmedAddresses,
    servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' },
  },
  '0027-lasting-imports': {
    up: lastingImports,
    servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' },
  },
  '0028-no-imported-resources': {
    up: noImportedResources,
    servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' },
  },
  '0029-month-ends': { up: monthEnds, servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' } },
  '0030-webhook-headers': {
    up: webhookHeaders,
    servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' },
  },
  '0031-releases': { up: releases, servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' } },
  '0032-components': { up: components, servedFrom: { sqlite: '0001-baseline', postgres: '0019-no-change-marks' } },
};
