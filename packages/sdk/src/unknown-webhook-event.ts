declare const laterType: unique symbol;

/** An event with a type that a later version of the service added. Acknowledge and ignore it. */
export interface UnknownWebhookEvent {
  readonly id: string;
  /** A text that is not a type of this version, so that comparing `type` with a known one tells the events apart. */
  readonly type: `${string & { readonly [laterType]: true }}`;
  readonly occurredAt: string;
  readonly tenantId: string;
  readonly requestId: string | null;
  readonly apiVersion: string;
  readonly data: Record<string, unknown>;
}
