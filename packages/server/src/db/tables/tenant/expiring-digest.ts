/** One row (`id` = 1): licenses that were counted as expiring and that no notification has told of yet. */
export interface ExpiringDigestTable {
  id: number;
  license_count: number;
  /** The first few of them, in words. */
  examples_json: string;
}
