import type { Timestamp } from '../../../lib/clock.ts';

/** What one device asked about a license with one result, how often and when. */
export interface LicenseChecksTable {
  license_id: string;
  kind: 'validation' | 'activation';
  /** Empty if the request named no device. */
  fingerprint: string;
  /** The code of the verdict, `ACTIVATION.CREATED`, or the error code of a refused activation. */
  code: string;
  is_allowed: number;
  /** The newest one that was sent. */
  app_version: string | null;
  address: string | null;
  first_at: Timestamp;
  last_at: Timestamp;
  count: number;
}

/** The refusals of devices because every seat of a license is taken. */
export interface LicenseRefusalsTable {
  license_id: string;
  /** The first refusal since a device was last activated; null: none was refused since. */
  refused_since: Timestamp | null;
  /** The newest refusal that was reported to the vendor. */
  reported_at: Timestamp;
}

/** What the vendor's people wrote about a customer. */
export interface CustomerNotesTable {
  id: string;
  /** The folded address of the customer. */
  email_key: string;
  text: string;
  author_type: 'user' | 'admin';
  author_id: string;
  /** The person that created the access token which wrote the note; null: a person wrote it. */
  author_created_by: string | null;
  created_at: Timestamp;
}
