import type { Actor, Tenant } from '../tenancy/tenant.ts';
import type { OpenTenant } from '../tenancy/tenant-pool.ts';
import type { TenantRecord } from '../tenancy/tenant-record.ts';
import type { TraceContext } from '../tracing/trace-context.ts';
import type { Span } from '../tracing/tracing.ts';
import type { AuthenticatedAdmin } from './routes/admin-route.ts';
import type { AuthenticatedHolder, PortalAddress } from './routes/holder-route.ts';
import type { AuthenticatedUser } from './routes/user-route.ts';

/** Why a credential was refused: for the log, because the response says only that it was. */
export interface Refusal {
  readonly reason: string;
  /** The credential and its tenant, if it is known and no longer valid. */
  readonly credentialId?: string;
  readonly tenantId?: string;
}

/**
 * The caller of a request, and the tenant that its surface resolved. Guards fill it in; handlers, logs and throttles
 * read it. It is one object with all its fields from the start, because Fastify sets each decorated property of a
 * request separately, at every request.
 */
export class Caller {
  /** The tenant's row, also if the tenant then refuses the request. */
  record: TenantRecord | undefined;
  /** The id of the accepted credential: an API key, an access token or a session. */
  credentialId: string | undefined;
  /** Throttles after the guard count by this id: a person's, an access token's or a holder's session. */
  subjectId: string | undefined;
  /** The resolved, active tenant. */
  tenant: Tenant | undefined;
  actor: Actor | undefined;
  /** The open tenant that the request holds; `released` once the request has ended. */
  held: OpenTenant | 'released' | undefined;
  admin: AuthenticatedAdmin | undefined;
  user: AuthenticatedUser | undefined;
  /** The portal that the request was sent to. */
  portal: PortalAddress | undefined;
  holder: AuthenticatedHolder | undefined;
  /** The code of an error or a verdict, for the log. */
  code: string | undefined;
  /** The license that a verdict is about, for the log. */
  licenseId: string | undefined;
  refusal: Refusal | undefined;
  trace: TraceContext | undefined;
  span: Span | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Created by the first hook of the server. */
    caller: Caller;
  }
}
