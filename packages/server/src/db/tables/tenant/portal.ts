import type { Timestamp } from '../../../lib/clock.ts';
import type { Flag } from '../shared-tables.ts';
import type { MailLanguage } from './holder-mails.ts';

/** The tables of a tenant's portal for the holders of its licenses. */
export interface PortalTables {
  brand: BrandTable;
  portal_settings: PortalSettingsTable;
  portal_logins: PortalLoginsTable;
  portal_sessions: PortalSessionsTable;
}

/** One row (`id` = 1): how the tenant presents itself to the holders of its licenses. */
export interface BrandTable {
  id: number;
  /** Null: the name of the tenant. */
  display_name: string | null;
  /** `#rrggbb` in lower case. */
  accent_color: string | null;
  support_url: string | null;
  logo_type: 'image/png' | 'image/webp' | null;
  logo_base64: string | null;
  /** The SHA-256 of the image, hex. */
  logo_hash: string | null;
}

/** One row (`id` = 1): what holders may do in the portal. */
export interface PortalSettingsTable {
  id: number;
  release_devices: Flag;
  /** Only under policies with `holder_may_replace_key`. */
  replace_key: Flag;
  offline_activation: Flag;
}

/**
 * A request to log in to the portal, of a holder or of the vendor for a holder. It exists also for an address without a
 * license, so that a wrong code takes as long for it.
 */
export interface PortalLoginsTable {
  id: string;
  /** Who asked. The vendor gets the link itself; it has no code. */
  kind: 'holder' | 'vendor';
  /** Folded (`foldEmail`). */
  email: string;
  /** The language of the request; null if the service has it not, and for a login that the vendor created. */
  language: MailLanguage | null;
  /** Keyed hash of the code and the id; null until the login is prepared, and for an address without a license. */
  code_hash: string | null;
  /** Keyed hash of the token in the link; null as `code_hash`. */
  link_hash: string | null;
  /** The number of wrong codes. */
  tries: number;
  created_at: Timestamp;
  expires_at: Timestamp;
  /** When the job has looked for licenses and has queued the mail; null before. */
  prepared_at: Timestamp | null;
}

/** A session of a holder in the portal, of one tenant and one address. */
export interface PortalSessionsTable {
  id: string;
  /** Folded (`foldEmail`). */
  email: string;
  token_hash: string;
  created_at: Timestamp;
  expires_at: Timestamp;
}
