// The generated types have no code, so the page shares those of the dashboard.
import type { components } from '../../dashboard/src/api/schema.gen.ts';

type Schemas = components['schemas'];

export type { paths } from '../../dashboard/src/api/schema.gen.ts';
/** How a portal looks and what it offers. */
export type Portal = Schemas['Portal'];
/** A license as its holder sees it. */
export type PortalLicense = Schemas['PortalLicense'];
/** Something that a license grants. */
export type PortalEntitlement = PortalLicense['terms']['entitlements'][number];
/** A device that holds a seat. */
export type PortalDevice = Schemas['PortalDevice'];
/** The certificate file of a device without a network. */
export type OfflineActivation = Schemas['OfflineActivation'];
/** The result of a purchase. */
export type Purchase = Schemas['Purchase'];
/** A version of the product as the holder of a license sees it. */
export type PortalVersion = Schemas['PortalVersion'];
/** A file of a version. */
export type PortalArtifact = PortalVersion['artifacts'][number];
