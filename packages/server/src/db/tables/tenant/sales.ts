import type { Timestamp } from '../../../lib/clock.ts';
import type { Flag } from '../shared-tables.ts';

/** The tables of connections to shops and of what was sold there, in a tenant's database. */
export interface SalesTables {
  connections: ConnectionsTable;
  offers: OffersTable;
  sale_messages: SaleMessagesTable;
  sales: SalesTable;
  sale_aliases: SaleAliasesTable;
  sale_licenses: SaleLicensesTable;
  comparisons: ComparisonsTable;
  comparison_differences: ComparisonDifferencesTable;
}

/** A shop that sells for the tenant. */
export interface ConnectionsTable {
  id: string;
  provider: 'stripe' | 'paddle' | 'lemonsqueezy' | 'polar' | 'gumroad' | 'custom';
  name: string;
  status: 'active' | 'disabled';
  /** Verifies messages; encrypted under the application key. Null for a shop that signs nothing. */
  sealed_secret: string | null;
  /** The key of the shop's API; encrypted under the application key. Null: the service never asks the shop. */
  sealed_api_key: string | null;
  /** 1: the nightly comparison applies the differences that it finds. */
  compares_itself: Flag;
  /** When the latest message arrived. */
  last_event_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** A deleted connection is kept without its secrets until its messages and sales are removed. */
  deleted_at: Timestamp | null;
}

/** What an item of a shop becomes. */
export interface OffersTable {
  id: string;
  connection_id: string;
  /** The shop's id of what it sells: a price, a variant or a product. Unique per connection. */
  external_id: string;
  name: string;
  /** Without a reference: a deleted policy makes the sale a problem that the vendor sees. */
  policy_id: string;
  quantity: 'policy' | 'seats' | 'licenses' | 'ignore';
  seats_per_unit: number;
  on_refund: 'revoke' | 'suspend' | 'nothing';
  /** Null: a missing payment suspends nothing. */
  suspend_after_days: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A message of a shop. */
export interface SaleMessagesTable {
  id: string;
  connection_id: string;
  /** The shop's id of the message, or a hash of its body. Unique per connection. */
  external_id: string;
  /** The shop's own name of the event. */
  type: string;
  /** By the shop's clock; null if the shop does not say it. */
  occurred_at: Timestamp | null;
  received_at: Timestamp;
  /** The raw body in base64, encrypted under the application key, because it contains the buyer's personal data. */
  sealed_body: string;
  state: 'pending' | 'applied' | 'nothing' | 'failed';
  attempts: number;
  /** When it is applied, or applied again; null when it is done or only a person can help. */
  next_attempt_at: Timestamp | null;
  /** What it did: an array of `{ effect, license_id }`. */
  effects_json: string;
  /** Why it did nothing or failed, in words for the vendor; null otherwise. */
  reason: string | null;
  /** The sale that it was about; null before it was read, and for a message about nothing. */
  sale_id: string | null;
}

/** A sale of a shop: a subscription or an order. */
export interface SalesTable {
  id: string;
  connection_id: string;
  /** The shop's id of the subscription or of the order. Unique per connection. */
  external_id: string;
  /** What is known of it (`SaleState`). */
  state_json: string;
  /** Null while only a part is known, for example a refund whose payment was not reported yet. Lists omit such rows. */
  kind: 'subscription' | 'one_time' | null;
  /** What the shop says. */
  state: 'pending' | 'active' | 'past_due' | 'paused' | 'ended' | null;
  /** The one state that people see: that of the shop, unless the present payment was given back or is disputed. */
  shown_state: SalesTable['state'] | 'refunded' | 'disputed';
  /** The folded address of the buyer. */
  buyer_email_key: string | null;
  checkout_id: string | null;
  /** Why its licenses do not match it; null if they do. */
  problem: string | null;
  /** The same in words for the vendor. */
  problem_message: string | null;
  /** When time alone changes what it entitles to, or when it is applied again; null if never. */
  next_change_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** Another id of a sale in its shop, such as that of a payment. */
export interface SaleAliasesTable {
  connection_id: string;
  alias: string;
  /** The shop's id of the sale. */
  sale_external_id: string;
}

/** A license that a sale has issued. */
export interface SaleLicensesTable {
  license_id: string;
  sale_id: string;
  /** The terms and the holder that were applied last (`AppliedTerms`). */
  applied_json: string;
  created_at: Timestamp;
}

/** A comparison of a shop's sales with those here. */
export interface ComparisonsTable {
  id: string;
  connection_id: string;
  state: 'running' | 'done' | 'failed';
  /** Where the next page begins; null before the first page. */
  cursor: string | null;
  /** The number of sales that were read. */
  seen: number;
  /** The number of sales in the shop, if it says it. */
  total: number | null;
  /** The number of differences found. */
  differences: number;
  /** 1: differences are applied when they are found. */
  applies_itself: Flag;
  /** Null: the service itself, at night. */
  requested_by_type: string | null;
  requested_by_id: string | null;
  /** Why it failed, in words for the vendor. */
  reason: string | null;
  /** When the next page may be read; null when it has ended. */
  continues_at: Timestamp | null;
  created_at: Timestamp;
  ended_at: Timestamp | null;
}

/** A difference between a sale in the shop and the licenses here. */
export interface ComparisonDifferencesTable {
  id: string;
  comparison_id: string;
  sale_external_id: string;
  kind: 'missing_here' | 'active_here_only' | 'other_terms' | 'problem';
  /** What the shop says (`Reading`). */
  reading_json: string;
  summary: string;
  buyer_json: string | null;
  license_ids_json: string;
  state: 'open' | 'applied';
  created_at: Timestamp;
}
