import { useEffect, useState } from 'react';
import { BrandEffects } from './App.tsx';
import { createApi } from './api.ts';
import { Frame } from './parts/Frame.tsx';
import { PortalContext } from './portal-context.ts';
import { LicenseScreen } from './screens/LicenseScreen.tsx';
import type { Portal as Brand, PortalDevice, PortalLicense } from './shapes.ts';

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const session = { token: '', email: 'ada@example.com', expires_at: inDays(1) };

const device: PortalDevice = {
  id: 'device',
  name: 'Laptop',
  platform: 'macos',
  last_seen_at: inDays(0),
  lease_expires_at: null,
  created_at: inDays(-30),
};

/** Returns the license of a customer who may do what the vendor permits. */
function sampleLicense(permissions: Brand['permissions']): PortalLicense {
  return {
    id: 'sample',
    product: { code: 'photo-editor', name: 'Photo Editor' },
    policy_name: 'Pro, one year',
    is_trial: false,
    holder_name: 'Ada Lovelace',
    order_number: null,
    key_hint: '…TKVYT',
    status: 'active',
    works: true,
    starts_at: inDays(-30),
    expires_at: inDays(335),
    pending_term: null,
    grace_ends_at: null,
    maintenance_expires_at: null,
    seats: { used: 1, maximum: 3, admitted: 3 },
    deactivations_left: null,
    devices_to_release: 0,
    terms: {
      ...{ duration_days: null, duration_months: 12, runs_after_expiry: false, requires_activation: true },
      ...{ lease_seconds: null, offline_seconds: 7 * 86_400, entitlements: [] },
    },
    renewal_url: null,
    permissions,
    created_at: inDays(-30),
  };
}

/** The page of a license as the dashboard shows it beside the settings: with sample data, and nothing in it can be used. */
export function Preview({ handle }: { readonly handle: string }) {
  const [brand, setBrand] = useState<Brand | null>(null);
  useEffect(() => {
    const onMessage = ({ origin, source, data }: MessageEvent) => {
      // Extensions of the browser send messages of their own.
      const isOurs = origin === window.location.origin && source === window.parent && data.previewedBrand !== undefined;
      if (isOurs) setBrand(data.previewedBrand);
    };
    window.addEventListener('message', onMessage);
    window.parent.postMessage('ready', window.location.origin);
    return () => window.removeEventListener('message', onMessage);
  }, []);
  if (brand === null) return null;
  const api = {
    ...createApi({ handle, token: () => null, onRefused: () => undefined }),
    loadLicense: async () => sampleLicense(brand.permissions),
    listVersions: async () => [],
    listDevices: async () => ({ items: [device], next: null }),
  };
  return (
    <PortalContext value={{ handle, brand, api, session, setSession: () => undefined }}>
      <BrandEffects brand={brand} />
      <div inert>
        <Frame>
          <LicenseScreen key={JSON.stringify(brand.permissions)} licenseId="sample" />
        </Frame>
      </div>
    </PortalContext>
  );
}
