import type {
  AuditLogFilters,
  AuditRecord,
  CreateNotification,
  CreateWebhookEndpoint,
  Notification,
  NotificationFilters,
  ReadCount,
  RecoveredWebhook,
  RecoverWebhook,
  UnreadNotificationCount,
  UpdateWebhookEndpoint,
  WebhookDelivery,
  WebhookDeliveryFilters,
  WebhookDeliverySummary,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookFilters,
} from '../api-types.ts';
import type { CallOptions, CreateOptions } from '../request.ts';
import { EditableResource, type FileOptions, ListedResource, ReadableResource } from './resource.ts';

/** The addresses that receive events. */
export class Webhooks extends EditableResource<
  WebhookEndpoint,
  WebhookFilters,
  CreateWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpointWithSecret
> {
  /** Sends a test event, even if the endpoint does not subscribe to it. */
  test(id: string, call?: CallOptions): Promise<WebhookDelivery> {
    return this.endpoint.act([id, 'test'], call);
  }

  /**
   * Returns a new signing secret. The former one signs as well for 24 hours. `secret` is null if the response to an
   * earlier attempt was lost: call again then.
   */
  rotateSecret(id: string, call?: CreateOptions): Promise<WebhookEndpointWithSecret> {
    return this.endpoint.once([id, 'rotate-secret'], call);
  }

  /** Sends the events of a time again that did not arrive. */
  recover(id: string, range: RecoverWebhook, call?: CallOptions): Promise<RecoveredWebhook> {
    return this.endpoint.act([id, 'recover'], call, { body: range });
  }
}

/** The events that were sent to endpoints. */
export class WebhookDeliveries extends ReadableResource<
  WebhookDelivery,
  WebhookDeliveryFilters,
  WebhookDeliverySummary
> {
  /** Resends the event. */
  resend(id: string, call?: CallOptions): Promise<WebhookDelivery> {
    return this.endpoint.act([id, 'resend'], call);
  }
}

/** The notices to the people of the tenant. */
export class Notifications extends ListedResource<Notification, NotificationFilters> {
  /** Creates a notification. */
  create(fields: CreateNotification, call?: CreateOptions): Promise<Notification> {
    return this.endpoint.once([], call, fields);
  }

  /** Returns how many notifications are not read. */
  countUnread(call?: CallOptions): Promise<UnreadNotificationCount> {
    return this.endpoint.read(['unread-count'], undefined, call);
  }

  /** Marks a notification as read. */
  markRead(id: string, call?: CallOptions): Promise<Notification> {
    return this.endpoint.act([id, 'read'], call, { actsAgain: false });
  }

  /** Marks every notification as read. */
  markAllRead(call?: CallOptions): Promise<ReadCount> {
    return this.endpoint.act(['read-all'], call, { actsAgain: false });
  }
}

/** What is exported, and in which form. */
export interface AuditExportOptions extends FileOptions, Omit<AuditLogFilters, 'limit'> {}

/** Who changed what. */
export class AuditLogs extends ListedResource<AuditRecord, AuditLogFilters> {
  /** Exports audit records as a stream. The deadline ends with the first byte. */
  export(filters: AuditExportOptions = {}, call?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.endpoint.export(['export'], filters, call);
  }
}
