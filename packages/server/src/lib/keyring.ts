import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { createHmacSha256 } from './hmac.ts';

/** Keyed hashes and encryption under the application key. Old keys still verify and decrypt; only the first signs. */
export interface Keyring {
  /** HMAC-SHA256 of a secret under the current key, hex: what is stored instead of the secret. */
  hash(secret: string): string;
  /** The same under each previous key, for look-ups that then rehash. */
  previousHashes(secret: string): readonly string[];
  /** AES-256-GCM under the current key, for what must be read again (base64url, versioned). */
  seal(plaintext: string): string;
  /** Opens what `seal` made under the current or a previous key; throws when no key fits or it was altered. */
  open(sealed: string): string;
  /** Tells application keys apart without revealing them. */
  readonly fingerprint: string;
  readonly previousFingerprints: readonly string[];
}

interface DerivedKeys {
  readonly hash: (secret: string) => string;
  readonly encryption: Buffer;
  readonly fingerprint: string;
}

const ivLength = 12;
const tagLength = 16;

/** Separate keys per purpose (NIST SP 800-108, HMAC as the derivation function), so that no use weakens another. */
function derive(appKey: string): DerivedKeys {
  const purpose = (label: string) => createHmac('sha256', appKey).update(label).digest();
  return {
    hash: createHmacSha256(purpose('licensing/hash/v1')),
    encryption: purpose('licensing/seal/v1'),
    fingerprint: purpose('licensing/fingerprint/v1').toString('hex').slice(0, 16),
  };
}

function openWith(key: Buffer, sealed: Buffer): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivLength), { authTagLength: tagLength });
  decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Makes the keyring of `APP_KEY` and `APP_PREVIOUS_KEYS`. */
export function createKeyring(appKey: string, previousAppKeys: readonly string[] = []): Keyring {
  const current = derive(appKey);
  const previous = previousAppKeys.map(derive);
  return {
    fingerprint: current.fingerprint,
    previousFingerprints: previous.map((keys) => keys.fingerprint),
    hash: current.hash,
    previousHashes: (secret) => previous.map((keys) => keys.hash(secret)),
    seal(plaintext) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', current.encryption, iv, { authTagLength: tagLength });
      const encrypted = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length >= ivLength + tagLength) {
        for (const keys of [current, ...previous]) {
          const plaintext = openWith(keys.encryption, bytes);
          if (plaintext !== undefined) return plaintext;
        }
      }
      throw new Error('A sealed value cannot be opened: add the application key that sealed it to APP_PREVIOUS_KEYS.');
    },
  };
}
