import type { Brand, PortalSettings, UpdateBrand, UpdatePortalSettings } from '../../api/portal.ts';

/** The settings of the portal and of the brand as the form edits them: an empty text is `null`. */
export interface PortalValues extends Record<string, unknown> {
  handle: string;
  is_enabled: boolean;
  domain: string;
  permissions: PortalSettings['permissions'];
  display_name: string;
  /** A `data:` URL, or null. */
  logo: string | null;
  accent_color: string;
  support_url: string;
}

/** The description of a field stands below it. */
export const order: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

/** Returns the values with which the form starts. */
export function valuesOf(portal: PortalSettings, brand: Brand): PortalValues {
  return {
    handle: portal.handle ?? '',
    is_enabled: portal.is_enabled,
    domain: portal.domain?.name ?? '',
    permissions: portal.permissions,
    display_name: brand.display_name ?? '',
    logo: brand.logo,
    accent_color: brand.accent_color ?? '',
    support_url: brand.support_url ?? '',
  };
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** Returns the request that saves the brand. An unchanged logo is not sent again. */
export function brandOf(values: PortalValues, before: Brand): UpdateBrand {
  return {
    display_name: orNull(values.display_name),
    accent_color: orNull(values.accent_color),
    support_url: orNull(values.support_url),
    ...(values.logo !== before.logo && { logo: values.logo }),
  };
}

/** Returns the request that saves the settings of the portal. */
export function portalOf({ handle, is_enabled, domain, permissions }: PortalValues): UpdatePortalSettings {
  const chosen = orNull(handle);
  return { ...(chosen !== null && { handle: chosen }), is_enabled, domain: orNull(domain), permissions };
}
