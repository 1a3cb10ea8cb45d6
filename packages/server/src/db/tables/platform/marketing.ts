import type { Timestamp } from '../../../lib/clock.ts';

/** Subscribers to news by mail and the proof of their consent, in the platform database. */
export interface MarketingTables {
  marketing_subscribers: MarketingSubscribersTable;
  marketing_withdrawals: MarketingWithdrawalsTable;
  marketing_campaigns: MarketingCampaignsTable;
}

/** A person who requested news by mail. The row is deleted when the consent is withdrawn or is not given in time. */
export interface MarketingSubscribersTable {
  id: string;
  /** Unique; trimmed and in lower case. */
  email: string;
  requested_at: Timestamp;
  /** HMAC-SHA256 of the token in the newest confirmation link, hex; null once the link was used. */
  confirm_token_hash: string | null;
  confirm_expires_at: Timestamp;
  /** When the consent was given; null before. No news is sent before. */
  confirmed_at: Timestamp | null;
  /**
   * SHA-256 of the token in every mail, hex, and the token itself, encrypted under the application key. The hash of 256
   * random bits needs no key, so that the link stays valid when the application key changes. Null before the consent.
   */
  unsubscribe_token_hash: string | null;
  sealed_unsubscribe_token: string | null;
}

/** A withdrawn consent. It contains only the proof that consent was given and withdrawn. */
export interface MarketingWithdrawalsTable {
  id: string;
  /** HMAC-SHA256 of the address under the application key, hex. */
  email_hash: string;
  consented_at: Timestamp;
  /** The hash of the token in every mail; null for a consent that an earlier version of the program withdrew. */
  unsubscribe_token_hash: string | null;
  withdrawn_at: Timestamp;
}

/** A mail to all subscribers, and its progress. */
export interface MarketingCampaignsTable {
  /** The hash of subject and text, so that the same mail is sent only once. */
  id: string;
  subject: string;
  /** The mail is queued for all subscribers up to this id. */
  last_subscriber_id: string;
  queued: number;
  created_at: Timestamp;
  completed_at: Timestamp | null;
}
