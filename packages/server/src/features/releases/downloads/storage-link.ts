import type { Clock, Timestamp } from '../../../lib/clock.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import type { OpenStorage } from '../../licensing/products/download-storage.ts';

/** How long a link to a private file works. */
const linkSeconds = 300;

/** The address of a file, and until when it works; null: always. */
export interface Link {
  readonly url: string;
  readonly expires_at: Timestamp | null;
}

/** Returns true for an address in the bucket, which is the first part of the path or of the host. */
function isInBucket(url: URL, { endpoint, bucket }: Pick<OpenStorage, 'endpoint' | 'bucket'>): boolean {
  const { origin, protocol, host } = new URL(endpoint);
  if (url.origin === `${protocol}//${bucket}.${host}`) return true;
  return url.origin === origin && url.pathname.startsWith(`/${bucket}/`);
}

/** Returns a link to a file that the storage signs for five minutes; an address elsewhere is the link itself. */
export async function linkTo(clock: Clock, address: string, open: () => OpenStorage | null): Promise<Link> {
  const storage = open();
  const url = new URL(address);
  if (storage === null || !isInBucket(url, storage)) return { url: address, expires_at: null };
  const { AwsV4Signer } = await import('aws4fetch');
  url.searchParams.set('X-Amz-Expires', String(linkSeconds));
  const seconds = Math.floor(clock.nowMs() / 1000);
  const signer = new AwsV4Signer({
    url: url.href,
    service: 's3',
    region: storage.region,
    accessKeyId: storage.access_key_id,
    secretAccessKey: storage.secretAccessKey,
    signQuery: true,
    datetime: new Date(seconds * 1000).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const signed = await signer.sign();
  return { url: signed.url.href, expires_at: toTimestamp((seconds + linkSeconds) * 1000) };
}
