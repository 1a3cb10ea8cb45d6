import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto';

/** Keyed hashes and encryption with the application key. Previous keys only verify and decrypt. */
export interface Keyring {
  /** Returns the HMAC-SHA256 of a secret under the current key, as hex. It is stored instead of the secret. */
  hash(secret: string): string;
  /** Returns the HMAC-SHA256 under each previous key, for lookups that then store the hash under the current key. */
  previousHashes(secret: string): readonly string[];
  /** Encrypts with AES-256-GCM under the current key, for values that must be readable later. Returns base64url. */
  seal(plaintext: string): string;
  /** Decrypts a value that `seal` returned under the current or a previous key; throws when no key fits. */
  open(sealed: string): string;
  /** Returns the fingerprint of the key that opens a value that `seal` returned; undefined when no key fits. */
  keyOf(sealed: string): string | undefined;
  /** Identifies the application key without revealing it: 16 hexadecimal digits. */
  readonly fingerprint: string;
  /** The fingerprints of the previous keys. */
  readonly previousFingerprints: readonly string[];
}

interface DerivedKeys {
  readonly hash: (secret: string) => string;
  readonly encryption: Buffer;
  readonly fingerprint: string;
}

const ivLength = 12;
const tagLength = 16;

/** Derives a separate key per purpose (NIST SP 800-108, with HMAC), so that no use weakens another. */
function derive(appKey: string): DerivedKeys {
  const purpose = (label: string) => createHmac('sha256', appKey).update(label).digest();
  // A buffer would be copied into a key at each use: 9 % of a validation.
  const hashKey = createSecretKey(purpose('licensing/hash/v1'));
  return {
    hash: (secret) => createHmac('sha256', hashKey).update(secret).digest('hex'),
    encryption: purpose('licensing/seal/v1'),
    fingerprint: purpose('licensing/fingerprint/v1').toString('hex').slice(0, 16),
  };
}

interface Opened {
  readonly plaintext: string;
  readonly fingerprint: string;
}

/** Decrypts a sealed value with the first key that fits. */
function openWithAny(keys: readonly DerivedKeys[], sealed: string): Opened | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < ivLength + tagLength) return undefined;
  for (const { encryption, fingerprint } of keys) {
    const plaintext = openWith(encryption, bytes);
    if (plaintext !== undefined) return { plaintext, fingerprint };
  }
  return undefined;
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

/** Creates the keyring from `APP_KEY` and `APP_PREVIOUS_KEYS`. */
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
      const opened = openWithAny([current, ...previous], sealed);
      if (opened !== undefined) return opened.plaintext;
      throw new Error(
        'A stored secret cannot be decrypted: add the application key that encrypted it to APP_PREVIOUS_KEYS.',
      );
    },
    keyOf: (sealed) => openWithAny([current, ...previous], sealed)?.fingerprint,
  };
}
