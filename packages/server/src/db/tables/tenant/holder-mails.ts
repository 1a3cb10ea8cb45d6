import type { Timestamp } from '../../../lib/clock.ts';
import type { Flag } from '../shared-tables.ts';

/** A language of mails to license holders. */
export type MailLanguage = 'en' | 'de' | 'fr';

/** The tables of the mails to license holders, in a tenant's database. */
export interface HolderMailTables {
  holder_mails: HolderMailsTable;
  holder_mail_switches: HolderMailSwitchesTable;
  holder_mail_templates: HolderMailTemplatesTable;
  holder_mail_reminders: HolderMailRemindersTable;
  holder_mail_settings: HolderMailSettingsTable;
  holder_languages: HolderLanguagesTable;
  unconfirmed_addresses: UnconfirmedAddressesTable;
}

/** A mail to a license holder. Its text is rendered when it is sent, so that no key is stored here. */
export interface HolderMailsTable {
  id: string;
  /** A `HolderMailType`. */
  type: string;
  /** Folded (`foldEmail`). */
  recipient: string;
  license_id: string | null;
  /** The language of the request that caused it; null: that of the holder. */
  language: MailLanguage | null;
  /** Identifies the event that the mail reports; unique. */
  event: string;
  /** `refused`: the mail server refused it for good. `cancelled`: it was useless before it could be sent. */
  state: 'queued' | 'sent' | 'refused' | 'cancelled';
  /** 1: one of very many mails, which single mails overtake. */
  is_bulk: Flag;
  /** The values of this mail alone, as JSON, encrypted under the application key. Null without any. */
  sealed_values: string | null;
  /** The subject as it was sent; null before. */
  subject: string | null;
  /** The server that was used last: the service's, or the tenant's own. Null before the first attempt. */
  server: 'service' | 'own' | null;
  /** The words of the server, or why it was cancelled; null unless the last attempt failed. */
  reason: string | null;
  attempts: number;
  /** When it may be claimed: the next attempt, or the end of the current lease. Null unless `queued`. */
  next_attempt_at: Timestamp | null;
  /** The id of the run that sends it; null while no run sends it. */
  lease_id: string | null;
  /** When it becomes useless, for example because its link ends; null: never. */
  useful_until: Timestamp | null;
  /** The id of the mail that a person sent again; null otherwise. */
  resent_from: string | null;
  created_at: Timestamp;
  /** When it was sent, refused or cancelled; null while `queued`. */
  ended_at: Timestamp | null;
}

/** A switch of one type of mail that differs from the default. */
export interface HolderMailSwitchesTable {
  /** The product that it applies to; empty: all products without a switch of their own. */
  product_id: string;
  type: string;
  is_on: Flag;
}

/** A template that the tenant has changed. */
export interface HolderMailTemplatesTable {
  /** The type; for another language than English a space and the language follow, as in `license.issued de`. */
  type: string;
  subject: string;
  /** Markdown with variables. */
  body: string;
  updated_at: Timestamp;
}

/** The last reminder of a license that expires. It outlives the mail, so that no reminder is sent twice. */
export interface HolderMailRemindersTable {
  license_id: string;
  /** The expiry that the holder was reminded of. */
  expires_at: Timestamp;
  /** The number of days before it, as the tenant chose them. */
  days: number;
}

/** The language in which a holder used the portal last. */
export interface HolderLanguagesTable {
  /** Folded (`foldEmail`). */
  email: string;
  language: MailLanguage;
}

/** One row (`id` = 1): the days of reminders, and the tenant's own mail server. */
export interface HolderMailSettingsTable {
  id: number;
  expiring_days_json: string;
  /** The language of mails to holders whose language is unknown. */
  default_language: MailLanguage;
  /** Null, as all of the following: the tenant uses the service's mail server. */
  smtp_host: string | null;
  smtp_port: number | null;
  /** How the connection is encrypted. */
  smtp_security: 'implicit' | 'starttls' | null;
  smtp_user: string | null;
  /** Encrypted under the application key. */
  sealed_smtp_password: string | null;
  /** The sender's address. */
  smtp_from: string | null;
  /** When the server accepted the test mail. */
  smtp_proved_at: Timestamp | null;
}

/** An address that a public key gave and nobody has confirmed. */
export interface UnconfirmedAddressesTable {
  /** The hash of the folded address, so that the row can outlive an erasure. */
  address_hash: string;
  /** When the one mail that the address may get was queued; null before. */
  mailed_at: Timestamp | null;
}
