import { Type } from 'typebox';
import {
  type RequestSchemas,
  type TenantContext,
  type TenantRoute,
  tenantRoute,
} from '../../../http/routes/tenant-route.ts';
import { strictObject } from '../../../http/schema.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { licenseKeyOf } from '../downloads/license-header.ts';
import { refusals } from '../downloads/refusals.ts';
import { findForFeed, isNewer } from '../downloads/service.ts';
import type { WantedFiles } from '../downloads/wanted-files.ts';
import { Channel, RequestedArch, Version } from '../releases/schemas.ts';
import { releaseNotFound } from '../releases/service.ts';
import { electronFeed, readFileName } from './electron.ts';
import { addressesAt } from './feed.ts';
import { sparkleFeed } from './sparkle.ts';
import { TauriArch, TauriTarget, TauriUpdate, tauriFeed, tauriFiles } from './tauri.ts';

const tags = ['Integration'] as const;
const scope = 'releases:read';
const errors = ['PRODUCT.NOT_FOUND', 'LICENSE.KEY_REQUIRED', ...refusals] as const;
const description = 'The license key is in the header `X-License-Key`.';

const product = Type.String({ minLength: 1, maxLength: 64 });
const ChannelParams = Type.Object({ product, channel: Channel });

/** The feeds that updaters read as they are. */
export function feedRoutes(services: Services): TenantRoute[] {
  return [electronRoute(services), tauriRoute(services), sparkleRoute(services)];
}

type Asked = { readonly product: string; readonly channel: string; readonly files: WantedFiles };

function findUpdate<Schemas extends RequestSchemas>(
  services: Services,
  { request, reply, tenant, actor }: TenantContext<Schemas>,
  asked: Asked,
) {
  reply.header('cache-control', 'no-store');
  return findForFeed(services, tenant, actor, { ...asked, licenseKey: licenseKeyOf(request) });
}

function electronRoute(services: Services): TenantRoute {
  const addressOf = addressesAt(services.config.publicUrl);
  return tenantRoute('GET', '/feeds/:product/electron/:file', {
    scope,
    operationId: 'getElectronFeed',
    summary: 'Read the feed of electron-updater',
    tags,
    errors,
    description,
    params: Type.Object({ product, file: Type.String({ examples: ['latest.yml'] }) }),
    querystring: strictObject({ noCache: Type.Optional(Type.String({ maxLength: 100, description: 'Ignored.' })) }),
    response: { 200: { content: { 'text/yaml': { schema: Type.String() } } } },
    async handler(context) {
      const { params } = context.request;
      const asked = orThrow(readFileName(params.file), releaseNotFound);
      const found = await findUpdate(services, context, { product: params.product, ...asked });
      if (found === undefined) throw releaseNotFound();
      return context.reply.type('text/yaml; charset=utf-8').send(electronFeed(found, addressOf));
    },
  });
}

function tauriRoute(services: Services): TenantRoute {
  const addressOf = addressesAt(services.config.publicUrl);
  return tenantRoute('GET', '/feeds/:product/tauri/:channel', {
    scope,
    operationId: 'getTauriFeed',
    summary: 'Read the feed of Tauri',
    tags,
    errors,
    description,
    params: ChannelParams,
    querystring: strictObject({ target: TauriTarget, arch: TauriArch, current_version: Type.Optional(Version) }),
    response: { 200: TauriUpdate, 204: Type.Null({ description: 'There is no update.' }) },
    async handler(context) {
      const { params, query } = context.request;
      const files = tauriFiles(query.target, query.arch);
      const found = await findUpdate(services, context, { ...params, files });
      const isUpdate = found !== undefined && isNewer(found.release, query.current_version);
      const update = isUpdate ? tauriFeed(found, addressOf) : undefined;
      return update ?? context.reply.status(204).send();
    },
  });
}

function sparkleRoute(services: Services): TenantRoute {
  const addressOf = addressesAt(services.config.publicUrl);
  return tenantRoute('GET', '/feeds/:product/sparkle/:channel', {
    scope,
    operationId: 'getSparkleFeed',
    summary: 'Read the feed of Sparkle',
    tags,
    errors,
    description,
    params: ChannelParams,
    querystring: strictObject({ arch: Type.Optional(RequestedArch) }),
    response: { 200: { content: { 'application/xml': { schema: Type.String() } } } },
    async handler(context) {
      const { params, query } = context.request;
      const { arch } = query;
      const files: WantedFiles = { platforms: ['macos'], ...(arch && { archs: [arch, 'universal', 'any'] }) };
      const found = orThrow(await findUpdate(services, context, { ...params, files }), releaseNotFound);
      const { toSafeHtml } = await import('../../../mail/safe-markdown.ts');
      const appcast = sparkleFeed(found, toSafeHtml(found.release.notes), addressOf);
      return context.reply.type('application/xml; charset=utf-8').send(appcast);
    },
  });
}
