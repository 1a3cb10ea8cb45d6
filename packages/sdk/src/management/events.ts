import type {
  AuditLogFilters,
  AuditRecord,
  CreateNotification,
  CreateWebhook,
  Notification,
  NotificationFilters,
  RecoverEvents,
  UpdateWebhook,
  WebhookDelivery,
  WebhookDeliveryFilters,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookFilters,
} from '../api-types.ts';
import { dataOf } from '../client.ts';
import { type CallOptions, type CreateOptions, randomKey } from '../request.ts';
import { EditableResource, ListedResource, ReadableResource } from './resource.ts';

/** The addresses that receive events. */
export class Webhooks extends EditableResource<
  WebhookEndpoint,
  WebhookFilters,
  CreateWebhook,
  UpdateWebhook,
  WebhookEndpointWithSecret
> {
  /** Sends a test event, whatever the endpoint subscribes to. */
  test(id: string, call?: CallOptions): Promise<WebhookDelivery> {
    return this.endpoint.act([id, 'test'], call);
  }

  /** Returns a new signing secret. The former one signs as well for 24 hours. */
  rotateSecret(id: string, call?: CallOptions): Promise<WebhookEndpointWithSecret> {
    return this.endpoint.act([id, 'rotate-secret'], call);
  }

  /** Sends the events of a time again that did not arrive. */
  recover(id: string, range: RecoverEvents, call?: CallOptions): Promise<{ readonly count: number }> {
    return this.endpoint.act([id, 'recover'], call, { body: range });
  }
}

/** The events that were sent to endpoints. */
export class WebhookDeliveries extends ReadableResource<WebhookDelivery, WebhookDeliveryFilters> {
  /** Sends the event once more. */
  resend(id: string, call?: CallOptions): Promise<WebhookDelivery> {
    return this.endpoint.act([id, 'resend'], call);
  }
}

/** The notices to the people of the tenant. */
export class Notifications extends ListedResource<Notification, NotificationFilters> {
  /** Creates a notification. */
  async create(fields: CreateNotification, call: CreateOptions = {}): Promise<Notification> {
    const { idempotencyKey = randomKey() } = call;
    const request = { method: 'POST', path: this.endpoint.path(), body: fields, idempotencyKey } as const;
    return dataOf(await this.endpoint.connection.json(request, call));
  }

  /** Marks a notification as read. */
  markRead(id: string, call?: CallOptions): Promise<Notification> {
    return this.endpoint.act([id, 'read'], call, { actsAgain: false });
  }

  /** Marks every notification as read. */
  markAllRead(call?: CallOptions): Promise<{ readonly count: number }> {
    return this.endpoint.act(['read-all'], call, { actsAgain: false });
  }
}

/** Who changed what. */
export class AuditLogs extends ListedResource<AuditRecord, AuditLogFilters> {}
