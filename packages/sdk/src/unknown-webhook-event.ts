declare const laterType: unique symbol;

/** An event whose type a later version of the service has added. Acknowledge it, and ignore what you do not know. */
export interface UnknownWebhookEvent {
  readonly id: string;
  /** A text that is no type of this version, so that comparing `type` with a known one tells the events apart. */
  readonly type: `${string & { readonly [laterType]: true }}`;
  readonly occurredAt: string;
  readonly tenantId: string;
  readonly requestId: string | null;
  readonly apiVersion: string;
  readonly data: Record<string, unknown>;
}
