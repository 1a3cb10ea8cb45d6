import type { Timestamp } from '../../../lib/clock.ts';

/** In the platform database: who wants news by mail, and proof of it. */
export interface MarketingTables {
  marketing_subscribers: MarketingSubscribersTable;
  marketing_withdrawals: MarketingWithdrawalsTable;
  marketing_campaigns: MarketingCampaignsTable;
}

/** Somebody who asked for news. The row goes when the consent is withdrawn, or was never given. */
export interface MarketingSubscribersTable {
  id: string;
  /** Trimmed and in lower case: unique. */
  email: string;
  requested_at: Timestamp;
  /** HMAC-SHA256 of the token of the newest link, hex; null once it was followed. */
  confirm_token_hash: string | null;
  confirm_expires_at: Timestamp;
  /** When the consent was given; null until then, and nothing is sent until then. */
  confirmed_at: Timestamp | null;
  /**
   * SHA-256 of the token in every mail, hex, and the token itself, encrypted under the application key. Its 256 random
   * bits need no key, so that the link works for as long as the mail is kept. Null until the consent.
   */
  unsubscribe_token_hash: string | null;
  sealed_unsubscribe_token: string | null;
}

/** Consent that was withdrawn: what proves that it was there and is over, and nothing else. */
export interface MarketingWithdrawalsTable {
  id: string;
  /** HMAC-SHA256 of the address under the application key, hex. */
  email_hash: string;
  consented_at: Timestamp;
  withdrawn_at: Timestamp;
}

/** Mail to all subscribers, and how far it has come. */
export interface MarketingCampaignsTable {
  /** Hash of subject and text: the same mail is sent once. */
  id: string;
  subject: string;
  /** Subscribers up to this id have their mail. */
  last_subscriber_id: string;
  queued: number;
  created_at: Timestamp;
  completed_at: Timestamp | null;
}
