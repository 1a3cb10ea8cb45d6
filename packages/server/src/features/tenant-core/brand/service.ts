import type { TenantDb } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { BrandTable } from '../../../db/tables/tenant/portal.ts';
import { type ErrorDetail, validationError } from '../../../lib/error.ts';
import type { ClockServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudit } from '../audit/audit.ts';
import { contrastMin, contrastWithWhite, readableShade } from './contrast.ts';
import { checkedLogo, noLogo, type StoredLogo } from './logo.ts';
import type { Brand, UpdateBrand } from './schemas.ts';

/** A stored image. */
export interface Logo {
  readonly type: 'image/png' | 'image/webp';
  /** The SHA-256 of the image, hex. */
  readonly hash: string;
  readonly base64: string;
}

/** How a tenant presents itself to the holders of its licenses. */
export interface ReadBrand extends Pick<BrandTable, 'display_name' | 'accent_color' | 'support_url'> {
  readonly logo: Logo | null;
}

/** Reads a tenant's brand. */
export async function readBrand(db: Pick<TenantDb, 'query'>): Promise<ReadBrand> {
  return fromRow(await db.query.selectFrom('brand').selectAll().executeTakeFirstOrThrow());
}

function fromRow({
  display_name,
  accent_color,
  support_url,
  logo_type,
  logo_hash,
  logo_base64,
}: BrandTable): ReadBrand {
  const isPresent = logo_type !== null && logo_hash !== null && logo_base64 !== null;
  const logo = isPresent ? { type: logo_type, hash: logo_hash, base64: logo_base64 } : null;
  return { display_name, accent_color, support_url, logo };
}

/** Returns a brand as its tenant sees it. */
export function presentBrand({ logo, ...brand }: ReadBrand): Brand {
  return { ...brand, logo: logo === null ? null : `data:${logo.type};base64,${logo.base64}` };
}

/** The audit log has the hash of the logo, because the image is too large for it. */
const auditedFields = ['display_name', 'accent_color', 'support_url', 'logo_hash'] as const;

/**
 * Changes the parts that `input` contains. Throws 422 for a color on which white text is not readable, and for a logo
 * that is not a PNG or WebP image or is too large.
 */
export async function updateBrand(
  { clock }: ClockServices,
  tenant: Tenant,
  actor: Actor,
  { logo, accent_color, ...input }: UpdateBrand,
): Promise<ReadBrand> {
  const color = accent_color?.toLowerCase() ?? accent_color;
  const image: Partial<StoredLogo> | ErrorDetail = logo === undefined ? {} : logo === null ? noLogo : checkedLogo(logo);
  const problems = [...unreadable(color), ...('field' in image ? [image] : [])];
  if (problems.length > 0 || 'field' in image) throw validationError(...problems);
  return await tenant.db.transaction(async (tx) => {
    const before = await forUpdate(tx, tx.selectFrom('brand').selectAll()).executeTakeFirstOrThrow();
    const after: BrandTable = { ...before, ...input, ...image, ...(color !== undefined && { accent_color: color }) };
    const changes = changedFields(before, after, auditedFields);
    if (changes.length === 0) return fromRow(before);
    await tx.updateTable('brand').set(after).where('id', '=', before.id).execute();
    const entry = { event: 'BRAND.UPDATED', resourceType: 'brand', resourceId: tenant.id, changes, at: clock.now() };
    await recordAudit(tx, actor, entry);
    return fromRow(after);
  });
}

function unreadable(color: string | null | undefined): ErrorDetail[] {
  if (color == null) return [];
  const contrast = contrastWithWhite(color);
  if (contrast >= contrastMin) return [];
  const message =
    `must be darker: white text on ${color} has a contrast of ${contrast.toFixed(1)} to 1, and people need ` +
    `${contrastMin} to 1 to read it. The nearest color is ${readableShade(color)}`;
  return [{ field: 'accent_color', message }];
}
