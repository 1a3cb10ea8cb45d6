import type { Timestamp } from '../../../lib/clock.ts';

// What payment providers told, and what the sandbox keeps. In the platform database, so that all nodes share it.

export interface PaymentTables {
  payment_events: PaymentEventsTable;
  sandbox_clock: SandboxClockTable;
  sandbox_checkouts: SandboxCheckoutsTable;
  sandbox_accounts: SandboxAccountsTable;
  sandbox_invoices: SandboxInvoicesTable;
  sandbox_events: SandboxEventsTable;
  sandbox_requests: SandboxRequestsTable;
}

/** An event of a payment provider, whose signature was verified. Ids alone: what it is about is read anew. */
export interface PaymentEventsTable {
  id: string;
  provider: 'stripe' | 'sandbox';
  provider_event_id: string;
  type: string;
  provider_subscription_id: string | null;
  /** Of the service's own checkout. */
  checkout_reference: string | null;
  /** By the provider's clock. */
  created_at: Timestamp;
  received_at: Timestamp;
  replayed_at: Timestamp | null;
}

/** One row (`id` = 1): how far the sandbox's clock is ahead. */
export interface SandboxClockTable {
  id: number;
  offset_ms: number;
}

export interface SandboxCheckoutsTable {
  id: string;
  /** The service's own id of the checkout. */
  reference: string;
  status: 'open' | 'complete' | 'expired';
  terms_json: string;
  customer_id: string | null;
  subscription_id: string | null;
  created_at: Timestamp;
  /** When it expires, by the sandbox's clock; null once it is over. */
  due_at: Timestamp | null;
}

/** A customer with its one subscription: what is locked and written as a whole. */
export interface SandboxAccountsTable {
  customer_id: string;
  subscription_id: string;
  state_json: string;
  /** When something happens by itself next, by the sandbox's clock. */
  due_at: Timestamp | null;
}

export interface SandboxInvoicesTable {
  id: string;
  customer_id: string;
  subscription_id: string;
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  state_json: string;
  /** Counts the invoices of one installation up: the order in which they were made. */
  position: string;
}

/** An event that is to be sent to the service itself. */
export interface SandboxEventsTable {
  id: string;
  body: string;
  attempts: number;
  created_at: Timestamp;
  /** When it is sent next, by the service's own clock; null once it was taken or given up. */
  due_at: Timestamp | null;
}

/** Keys of requests that took effect, so that repeating them changes nothing. */
export interface SandboxRequestsTable {
  key: string;
  created_at: Timestamp;
}
