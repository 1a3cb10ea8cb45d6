import { Buffer } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { bothSurfaces, type TestTenant, useTenant } from '../support/accounts.ts';
import { badFields, newLicense } from '../support/licensing-catalog.ts';
import { askPortal, logInHolder, openPortal } from './portal-data.ts';

const suite = useTenant();
const message = (answer: { body: { error: { details?: { message: string }[]; message: string } } }) =>
  answer.body.error.details?.[0]?.message ?? answer.body.error.message;

describe('the handle of a portal', () => {
  const title = 'a tenant has no portal until a handle is chosen and switched on, through the $surface surface';
  test.each(bothSurfaces(suite))(title, async ({ prefix, auth, suffix }) => {
    const { services } = suite.app;
    const ask = (method: 'GET' | 'PUT', path: string, payload?: object) =>
      suite.app.request({ method, url: prefix() + path, headers: auth(), ...(payload && { payload }) });
    await services.platform.query.deleteFrom('portal_handles').where('tenant_id', '=', suite.tenant.id).execute();
    const none = { handle: null, is_enabled: false, url: null };
    expect((await ask('GET', '/portal')).body.data).toMatchObject(none);
    const early = await ask('PUT', '/portal', { is_enabled: true });
    expect([early.status, badFields(early)]).toEqual([422, ['handle']]);
    const chosen = await ask('PUT', '/portal', { handle: 'acme-software', is_enabled: true });
    const url = `${suite.app.config.publicUrl}/portal/acme-software`;
    expect(chosen.body.data).toMatchObject({ handle: 'acme-software', is_enabled: true, url });
    const off = await ask('PUT', '/portal', { is_enabled: false });
    expect(off.body.data).toMatchObject({ handle: 'acme-software', is_enabled: false, url });
    const { body } = await suite.tenant.asOwner('GET', '/audit-logs?resource_type=portal&limit=2');
    expect(body.data[0]).toMatchObject({
      event: `PORTAL.UPDATED${suffix}`,
      changes: [{ field: 'is_enabled', old: true, new: false }],
    });
  });

  test('a handle that another tenant has is refused with a clear error, also in a race, and nothing changes', async () => {
    const [one, other] = [await suite.newTenant('One'), await suite.newTenant('Other')];
    const choose = (tenant: TestTenant) => tenant.asOwner('PUT', '/portal', { handle: 'contested', is_enabled: true });
    const answers = await Promise.all([choose(one), choose(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.error).toMatchObject({
      code: 'PORTAL.HANDLE_TAKEN',
      message: expect.stringContaining('taken'),
    });
    const loser = answers[0]?.status === 409 ? one : other;
    expect((await loser.asOwner('GET', '/portal')).body.data.handle).toBeNull();
  });

  test.each([
    'ab',
    'a'.repeat(41),
    'Acme',
    'acme_1',
    'ac me',
    'äcme',
    '-acme',
    'acme-',
    'admin',
    'login',
    'xn--acme',
    '../x',
  ])('the handle %j is refused', async (handle) => {
    const answer = await suite.tenant.asOwner('PUT', '/portal', { handle });
    expect([answer.status, badFields(answer)]).toEqual([422, ['handle']]);
  });
});

const png = (width: number, height: number): Buffer => {
  const chunk = (name: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const end = Buffer.from('0000000049454e44ae426082', 'hex');
  const start = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([start, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(16))), end]);
};
const webp = (chunk: string, data: number[]) => {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), Buffer.from(chunk, 'latin1'), Buffer.from(data)]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), size, body]);
};
const dataUrl = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`;
const padding = Array<number>(10).fill(0);

describe('the brand of a tenant', () => {
  beforeAll(async () => {
    await openPortal(suite.tenant, 'branded');
  });

  test.each([
    { kind: 'a PNG', bytes: png(320, 80), type: 'image/png' },
    {
      kind: 'a lossy WebP',
      bytes: webp('VP8 ', [10, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 64, 0, 32, 0, ...padding]),
      type: 'image/webp',
    },
    { kind: 'a lossless WebP', bytes: webp('VP8L', [10, 0, 0, 0, 0x2f, 63, 0, 0, 0, ...padding]), type: 'image/webp' },
    {
      kind: 'an extended WebP',
      bytes: webp('VP8X', [10, 0, 0, 0, 0, 0, 0, 0, 63, 0, 0, 31, 0, 0, ...padding]),
      type: 'image/webp',
    },
  ])('$kind becomes the logo, which the portal serves as an image that runs nothing', async ({ bytes, type }) => {
    const logo = dataUrl(bytes, type.slice(6));
    const changed = await suite.tenant.asOwner('PUT', '/brand', { logo });
    expect([changed.status, changed.body.data.logo], changed.text).toEqual([200, logo]);
    const { body } = await askPortal(suite.app, 'branded', 'GET', '');
    const answer = await suite.app.http.inject(new URL(body.data.logo_url).pathname);
    expect(answer.headers).toMatchObject({ 'content-type': type, 'x-content-type-options': 'nosniff' });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.rawPayload.equals(bytes)).toBe(true);
    const audit = await suite.tenant.asOwner('GET', '/audit-logs?event=BRAND.UPDATED&limit=1');
    expect(audit.body.data[0].changes.map(({ field }: { field: string }) => field)).toEqual(['logo_hash']);
  });

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const cut = png(8, 8).subarray(0, -3);
  test.each([
    { kind: 'an SVG', logo: `data:image/svg+xml;base64,${svg.toString('base64')}`, says: 'PNG or WebP' },
    { kind: 'an SVG that is called a PNG', logo: dataUrl(svg), says: 'not a PNG or WebP' },
    {
      kind: 'a page that begins like a PNG',
      logo: dataUrl(Buffer.concat([png(8, 8), Buffer.from('<script>')])),
      says: 'damaged',
    },
    { kind: 'a PNG that is cut off', logo: dataUrl(cut), says: 'damaged' },
    { kind: 'an image without size', logo: dataUrl(png(0, 8)), says: 'damaged' },
    { kind: 'a small file of a huge image', logo: dataUrl(png(40_000, 40_000)), says: '2048 pixels' },
    {
      kind: 'a file of more than 64 KiB',
      logo: dataUrl(Buffer.concat([png(8, 8), Buffer.alloc(66_000)])),
      says: '64 KiB',
    },
    { kind: 'an address', logo: 'https://example.com/logo.png', says: 'PNG or WebP' },
  ])('$kind is refused as a logo, and the former logo stays', async ({ logo, says }) => {
    const before = (await suite.tenant.asOwner('GET', '/brand')).body.data;
    const answer = await suite.tenant.asOwner('PUT', '/brand', {
      logo,
      display_name: 'Other',
      accent_color: '#FFCC00',
    });
    expect([answer.status, badFields(answer)]).toEqual([422, ['accent_color', 'logo']]);
    expect(answer.body.error.details[1].message).toContain(says);
    expect((await suite.tenant.asOwner('GET', '/brand')).body.data).toEqual(before);
  });

  test('a color on which white text is not readable is refused with the nearest readable one, which is accepted', async () => {
    const refused = await suite.tenant.asOwner('PUT', '/brand', { accent_color: '#FFCC00' });
    expect([refused.status, badFields(refused)]).toEqual([422, ['accent_color']]);
    const [suggested] = /#[0-9a-f]{6}$/.exec(message(refused)) ?? [];
    const accepted = await suite.tenant.asOwner('PUT', '/brand', { accent_color: suggested });
    expect(accepted.body.data.accent_color).toBe(suggested);
    expect((await askPortal(suite.app, 'branded', 'GET', '')).body.data.accent_color).toBe(suggested);
  });

  test('names and addresses that would act on a page or a mail are refused', async () => {
    for (const [field, value] of [
      ['display_name', 'Acme\r\nBcc: everyone@example.com'],
      ['display_name', 'Acme\u202egnp.exe'],
      ['display_name', 'www.evil.example'],
      ['display_name', 'admin@bank.example'],
      ['support_url', 'javascript:alert(1)'],
      ['support_url', 'https://user:password@example.com/'],
      ['support_url', 'help'],
      ['accent_color', 'red;background:url(//evil.example)'],
    ] as const) {
      const answer = await suite.tenant.asOwner('PUT', '/brand', { [field]: value });
      expect([answer.status, badFields(answer)], value).toEqual([422, [field]]);
    }
    for (const renewal_url of [
      'javascript:alert(1)//{license_id}',
      'data:text/html,x',
      '{license_id}',
      'https://a:b@example.com',
    ]) {
      const product = await suite.tenant.asOwner('POST', '/products', { code: 'evil', name: 'Evil', renewal_url });
      expect([product.status, badFields(product)], renewal_url).toEqual([422, ['renewal_url']]);
    }
  });

  test("a holder's name with line breaks and tags stays a value of JSON, and changes no header of a mail or a response", async () => {
    const name = 'Ada\r\nBcc: everyone@example.com\r\n\r\n<script>';
    const license = await newLicense(suite.tenant, {}, { holder: { name, email: 'ada@example.com' } });
    const token = await logInHolder(suite.app, suite.tenant, 'branded', license.id);
    const answer = await askPortal(suite.app, 'branded', 'GET', `/licenses/${license.id}`, { token });
    expect(answer.body.data.holder_name).toBe(name);
    expect(answer.headers).not.toHaveProperty('bcc');
    const injected = { holder: { email: 'ada@example.com\r\nBcc: everyone@example.com' } };
    const refused = await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, injected);
    expect([refused.status, badFields(refused)]).toEqual([422, ['holder.email']]);
  });
});
