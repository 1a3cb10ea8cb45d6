/** One row (`id` = 1): the licenses counted as expiring that no notification has reported yet. */
export interface ExpiringDigestTable {
  id: number;
  license_count: number;
  /** Texts about the first few of them. */
  examples_json: string;
}
