import type { HolderMailSettingsTable } from '../../../db/tables/tenant/holder-mails.ts';
import {
  createAddressPolicy,
  createResolver,
  HostRefusedError,
  resolveAllowed,
} from '../../../lib/public-addresses.ts';
import {
  createSmtpTransport,
  MailServerUnavailableError,
  type MailTransport,
  type OutgoingMail,
} from '../../../mail/transport.ts';
import type { Services } from '../../../services.ts';

/** A tenant's own mail server. Contains a password: never log it. */
export interface OwnMailServer {
  readonly host: string;
  readonly port: number;
  readonly security: 'implicit' | 'starttls';
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string;
}

/** The ports on which mail servers accept mail. Others would let a tenant probe hosts. */
export const mailPorts = [25, 465, 587, 2465, 2525, 2587] as const;

/** Returns the tenant's own server; null if it uses the service's. Throws if no application key opens the password. */
export function ownServerOf(
  { keyring }: Pick<Services, 'keyring'>,
  row: HolderMailSettingsTable,
): OwnMailServer | null {
  const { smtp_host: host, smtp_port: port, smtp_security: security, smtp_from: from } = row;
  if (host === null || port === null || security === null || from === null) return null;
  const { sealed_smtp_password: sealed, smtp_user: user } = row;
  return { host, port, security, user, password: sealed === null ? null : keyring.open(sealed), from };
}

/** Longer than any server needs for one mail. A server that sends a byte now and then would never time out otherwise. */
const deadlineMs = 45_000;

/**
 * Opens a connection pool to a tenant's own server. The name is resolved once, every address must be allowed, and the
 * connection goes to the address that was checked. Throws `MailServerUnavailableError` if it is not.
 */
export async function openOwnServer(
  { config }: Pick<Services, 'config'>,
  server: OwnMailServer,
): Promise<MailTransport> {
  const address = await allowedAddress(config.webhookAllowedCidrs, server.host);
  const { port, security: tls, user, password } = server;
  const credentials = user === null ? null : { user, password: password ?? '' };
  const transport = createSmtpTransport({ host: address, port, tls, credentials }, { servername: server.host });
  return {
    concurrency: transport.concurrency,
    close: () => transport.close(),
    send: (mail: OutgoingMail) => withinDeadline(transport, mail),
  };
}

async function withinDeadline(transport: MailTransport, mail: OutgoingMail): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new MailServerUnavailableError(`The server did not finish within ${deadlineMs / 1000} s.`));
    // Ends the connections, so that the server cannot accept the mail after it was counted as failed.
    transport.close();
  }, deadlineMs);
  try {
    await Promise.race([transport.send(mail), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function allowedAddress(allowedCidrs: readonly string[], host: string): Promise<string> {
  try {
    const [first = host] = await resolveAllowed(host, createAddressPolicy(allowedCidrs), createResolver());
    return first;
  } catch (error) {
    const isPrivate = error instanceof HostRefusedError && error.reason === 'address_not_allowed';
    throw new MailServerUnavailableError(
      isPrivate
        ? `The name ${host} leads to an address of a private or reserved network, which is not permitted.`
        : `The name ${host} has no address.`,
      { cause: error },
    );
  }
}
