import { isIP, isIPv6, type LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import type { buildConnector } from 'undici';
import type { AddressPolicy } from '../endpoints/address-policy.ts';
import { DeliveryError } from './failure.ts';
import type { Resolve } from './resolver.ts';

const tlsSessionsMax = 256;

export interface ConnectorOptions {
  readonly addresses: AddressPolicy;
  readonly resolve: Resolve;
  /** Timeout of resolving a name, connecting and TLS together. */
  readonly connectTimeoutMs: number;
}

/**
 * Opens connections to endpoints, at addresses that the policy allows.
 *
 * The agents of request-filtering-agent are a second check below our own policy. If the operator allows private
 * addresses, that second check is off and the policy decides alone: the agent's own list of exceptions prints a warning
 * for each address of the other family.
 */
export class Connector {
  readonly #http: RequestFilteringHttpAgent;
  readonly #https: RequestFilteringHttpsAgent;
  readonly #lookup: LookupFunction;
  readonly #connectTimeoutMs: number;

  constructor({ addresses, resolve, connectTimeoutMs }: ConnectorOptions) {
    const filter = { allowPrivateIPAddress: addresses.hasExceptions, allowMetaIPAddress: addresses.hasExceptions };
    this.#http = new RequestFilteringHttpAgent(filter);
    this.#https = new RequestFilteringHttpsAgent({ ...filter, maxCachedSessions: tlsSessionsMax });
    this.#lookup = checkedLookup(addresses, resolve);
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /** Returns a socket that is being opened. `callback` is called once, when it is open or has failed. */
  open({ protocol, hostname: host, port }: buildConnector.Options, callback: buildConnector.Callback): Socket {
    const isEncrypted = protocol === 'https:';
    const options = { host, port: Number(port) || (isEncrypted ? 443 : 80), lookup: this.#lookup, noDelay: true };
    const socket = asSocket(isEncrypted ? this.#openEncrypted(options) : this.#http.createConnection(options));
    const timer = setTimeout(() => socket.destroy(new DeliveryError('timeout')), this.#connectTimeoutMs);
    let error: Error = new DeliveryError('connection_reset');
    let isOpen = false;
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      isOpen = true;
      callback(null, socket);
    });
    socket.on('error', (reason) => {
      error = reason;
    });
    socket.on('close', () => {
      clearTimeout(timer);
      if (!isOpen) callback(error, null);
    });
    return socket;
  }

  #openEncrypted(options: { readonly host: string; readonly port: number }): Duplex {
    const { host, port } = options;
    const tlsOptions = {
      ...options,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      // An address is not sent as the name of the server (RFC 6066, section 3).
      ...(isIP(host) === 0 && { servername: host }),
      // The agent of `node:https` caches TLS sessions under this key.
      _agentKey: `${host} ${port}`,
    };
    return this.#https.createConnection(tlsOptions);
  }
}

function asSocket(stream: Duplex): Socket {
  if (stream instanceof Socket) return stream;
  throw new Error('request-filtering-agent opened a connection that is not a socket.');
}

function checkedLookup(addresses: AddressPolicy, resolve: Resolve): LookupFunction {
  const checked = async (hostname: string) => {
    const found = await resolve(hostname).catch((error: unknown) => {
      throw new DeliveryError('dns_failed', error);
    });
    if (found.length === 0) throw new DeliveryError('dns_failed');
    if (!found.every((address) => addresses.allows(address))) throw new DeliveryError('address_not_allowed');
    return found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  };
  return (hostname, options, callback) => {
    checked(hostname).then(
      (found) => {
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
