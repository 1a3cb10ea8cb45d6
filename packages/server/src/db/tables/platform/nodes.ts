import type { Timestamp } from '../../../lib/clock.ts';

/** A running process of `serve`. It renews its row and removes it when it stops. */
export interface NodesTable {
  id: string;
  /** Its machine and process, for messages. */
  name: string;
  /** A JSON array: the places whose tenants it can open, `embedded` and the `host:port` of servers. */
  places_json: string;
  started_at: Timestamp;
  /** A node that did not renew its row until then has died. */
  expires_at: Timestamp;
}
