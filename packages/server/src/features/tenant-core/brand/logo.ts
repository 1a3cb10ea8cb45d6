import { createHash } from 'node:crypto';
import type { BrandTable } from '../../../db/tables/tenant/portal.ts';
import type { ErrorDetail } from '../../../lib/error.ts';

/** The largest image, in bytes. */
export const logoMaxBytes = 64 * 1024;
/** The longest side, in pixels: a small file can describe an image that fills the memory of a browser. */
const logoMaxPixels = 2048;

/** The stored form of a logo. */
export type StoredLogo = Pick<BrandTable, 'logo_type' | 'logo_base64' | 'logo_hash'>;

/** No logo. */
export const noLogo: StoredLogo = { logo_type: null, logo_base64: null, logo_hash: null };

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The chunk with which every PNG ends: its length (0), its name and its checksum. */
const pngEnd = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);

/** Reads the size of a PNG (https://www.w3.org/TR/png-3/#5PNG-file-signature); undefined for other bytes. */
function sizeOfPng(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 45 || !bytes.subarray(0, 8).equals(pngStart) || !bytes.subarray(-12).equals(pngEnd)) return;
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Reads the size of a WebP (RFC 9649, sections 2.3 to 2.7); undefined for other bytes. */
function sizeOfWebp(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return;
  if (bytes.readUInt32LE(4) + 8 !== bytes.length) return;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return bytes[20] === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : undefined;
    }
    case 'VP8 ': {
      const isKeyFrame = bytes.toString('hex', 23, 26) === '9d012a';
      const side = (offset: number) => bytes.readUInt16LE(offset) & 0x3fff;
      return isKeyFrame ? { width: side(26), height: side(28) } : undefined;
    }
    default:
      return undefined;
  }
}

const kinds = [
  { type: 'image/png', sizeOf: sizeOfPng },
  { type: 'image/webp', sizeOf: sizeOfWebp },
] as const;

const dataUrl = /^data:image\/(?:png|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

/**
 * Checks a logo, a `data:` URL of a PNG or a WebP, by its content. Returns its stored form, or the problem of bytes that
 * are no such image or of one that is too large. SVG is refused because it can contain scripts.
 */
export function checkedLogo(url: string): StoredLogo | ErrorDetail {
  const base64 = dataUrl.exec(url)?.[1];
  if (base64 === undefined) return refused('Choose a PNG or WebP image.');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > logoMaxBytes) {
    return refused(`Choose an image of at most 64 KiB. This one has ${Math.ceil(bytes.length / 1024)} KiB.`);
  }
  for (const { type, sizeOf } of kinds) {
    const size = sizeOf(bytes);
    if (size === undefined) continue;
    const { width, height } = size;
    if (width === 0 || height === 0) break;
    if (Math.max(width, height) > logoMaxPixels) {
      return refused(
        `Choose an image of at most ${logoMaxPixels} pixels in width and height. This one is ${width} × ${height}.`,
      );
    }
    const logo_hash = createHash('sha256').update(bytes).digest('hex');
    return { logo_type: type, logo_base64: bytes.toString('base64'), logo_hash };
  }
  return refused('This file is not a PNG or WebP image, or is damaged. Choose another file.');
}

function refused(message: string): ErrorDetail {
  return { field: 'logo', message };
}
