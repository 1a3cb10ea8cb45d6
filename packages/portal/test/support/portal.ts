import type { Page } from '../../../../tools/browser/chromium.ts';
import { type Dashboard, useDashboard, type WindowOptions } from '../../../dashboard/test/support/screen.ts';
import { askPortal, logInHolder, openPortal } from '../../../server/test/holders/portal-data.ts';
import type { TestTenant } from '../../../server/test/support/accounts.ts';
import { created, newPolicy, newProduct } from '../../../server/test/support/licensing-catalog.ts';

/** A picture of one pixel. */
const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** A vendor with an open portal. */
export interface Vendor {
  readonly tenant: TestTenant;
  readonly handle: string;
}

/** A person with a license. */
export interface Holder {
  readonly email: string;
  readonly licenseId: string;
  readonly key: string;
  readonly product: string;
}

/** Windows of a real browser that show the portals of one service. */
export interface PortalSuite extends Pick<Dashboard, 'app' | 'origin' | 'openWindow' | 'expectFailure'> {
  /** Creates a tenant with an open portal, a name, a logo and support. */
  newVendor(name?: string): Promise<Vendor>;
  /** Creates a license of a new policy with an address; of another product each time. */
  newHolder(vendor: Vendor, fields?: HolderFields): Promise<Holder>;
  /** Opens a portal with the session of a holder in the storage of the window. */
  openAs(vendor: Vendor, holder: Pick<Holder, 'licenseId'>, path?: string, options?: WindowOptions): Promise<Page>;
  /** Returns the address with which the vendor lets a holder log in, once. */
  linkFor(vendor: Vendor, holder: Holder): Promise<string>;
}

/** What differs from an ordinary license. */
export interface HolderFields {
  readonly email?: string;
  readonly policy?: object;
  readonly product?: object;
  readonly license?: object;
}

let people = 0;

/** Starts one service for the suite file, with helpers for its portals. */
export function usePortal(): PortalSuite {
  const dashboard = useDashboard();
  return {
    openWindow: dashboard.openWindow,
    expectFailure: dashboard.expectFailure,
    get app() {
      return dashboard.app;
    },
    get origin() {
      return dashboard.origin;
    },
    async newVendor(name = 'Acme Audio') {
      const tenant = await dashboard.newTenant(name);
      const handle = await openPortal(tenant);
      await succeed(tenant.asOwner('PUT', '/portal', { permissions: { replace_key: true } }));
      await succeed(
        tenant.asOwner('PUT', '/brand', { logo, accent_color: '#0f766e', support_url: 'https://acme.example/help' }),
      );
      await succeed(tenant.asOwner('PUT', '/settings', { support_email: 'help@acme.example' }));
      return { tenant, handle };
    },
    async newHolder(
      { tenant },
      { email = `ada.${++people}@example.com`, policy = {}, product = {}, license = {} } = {},
    ) {
      const name = `Editor ${++people}`;
      const { id } = await newProduct(tenant, { name, ...product });
      const fields = {
        product_id: id,
        name: 'Pro, one year',
        duration_days: 365,
        max_activations: 3,
        max_deactivations: 2,
        require_activation: true,
        lease_seconds: 30 * 86_400,
        holder_may_replace_key: true,
        ...policy,
      };
      const { id: policy_id } = await newPolicy(tenant, fields);
      const holder = { name: 'Ada Lovelace', email };
      const row = created(await tenant.asOwner('POST', '/licenses', { policy_id, holder, ...license }));
      return { email, licenseId: row.id, key: row.key, product: name };
    },
    async openAs({ tenant, handle }, { licenseId }, path = '', options = {}) {
      const token = await logInHolder(dashboard.app, tenant, handle, licenseId);
      const { body } = await askPortal(dashboard.app, handle, 'GET', '/session', { token });
      const session = JSON.stringify({ token, ...body.data });
      const page = await dashboard.openWindow(options);
      await page.addInitScript(
        ([key, value]) => {
          if (sessionStorage.getItem(key) === null) sessionStorage.setItem(key, value);
        },
        [`licensing.portal.${handle}.session`, session] as const,
      );
      await page.goto(`/portal/${handle}${path}`);
      await settled(page);
      return page;
    },
    async linkFor({ tenant }, { licenseId }) {
      const { url } = created(await tenant.asOwner('POST', `/licenses/${licenseId}/portal-link`, {}));
      dashboard.app.secrets.note(String(url).split('#token=')[1] ?? '');
      return url;
    },
  };
}

async function succeed(answer: ReturnType<TestTenant['asOwner']>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(text);
}

/** Waits until a screen shows its content. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}

/** Activates devices for a license, as its application does. */
export async function activateDevices({ tenant }: Vendor, { key }: Holder, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const answer = await tenant.asApplication(`/licenses/${key}/activations`, {
      fingerprint: `fingerprint-of-${name}`,
      name,
      platform: 'linux',
    });
    if (answer.status !== 201) throw new Error(answer.text);
  }
}
