import murmurHash3 from 'imurmurhash';

/** The maximum sum of the weights. */
const weightMax = 2_147_483_647;

/**
 * Returns the variant of the bucket into which flagd puts a text. `args` are `[variant, weight]` from the index `first`
 * on. Returns null if no bucket has a weight, or if flagd does not accept the buckets.
 */
export function bucketOf(text: string, args: readonly unknown[], first: number): unknown {
  let total = 0;
  for (let index = first; index < args.length; index += 1) {
    const weight = weightOf(args[index]);
    if (weight === undefined) return null;
    total += weight;
  }
  if (total > weightMax) return null;
  const place = scaled(murmurHash3(text).result(), total);
  let sum = 0;
  for (let index = first; index < args.length; index += 1) {
    const bucket = args[index] as readonly unknown[];
    sum += weightOf(bucket) ?? 0;
    if (sum > place) return bucket[0] ?? null;
  }
  return null;
}

/** Returns the weight of a bucket; undefined if it is not `[variant]` or `[variant, whole number]`. */
function weightOf(bucket: unknown): number | undefined {
  if (!Array.isArray(bucket) || bucket.length === 0 || bucket.length > 2) return undefined;
  if (typeof bucket[0] === 'object' && bucket[0] !== null) return undefined;
  if (bucket.length === 1) return 1;
  const weight: unknown = bucket[1];
  return typeof weight === 'number' && Number.isInteger(weight) ? Math.max(0, weight) : undefined;
}

/** Returns floor(hash × total / 2^32). The product can exceed 2^53, so the halves of the hash are multiplied. */
function scaled(hash: number, total: number): number {
  const low = Math.floor(((hash & 0xffff) * total) / 0x10000);
  return Math.floor(((hash >>> 16) * total + low) / 0x10000);
}
