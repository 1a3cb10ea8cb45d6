import type { Config } from '../../../config/config.ts';
import type { PlatformDb } from '../../../db/database.ts';
import { listProvedDomains } from './handle-queries.ts';

const reloadEveryMs = 10_000;

/** Returns the name in a `Host` header, without its port and in lower case. */
function nameIn(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/**
 * The domains at which this node serves portals, in memory: every request asks whether its host is one of them. Each
 * request to a portal then reads its tenant from the database, so that a domain which was removed, also through another
 * node, has no portal at once. A node knows a domain that was proved through another one within 10 s.
 */
export class ServedDomains {
  readonly #platform: PlatformDb;
  readonly #ownHosts: ReadonlySet<string>;
  /** As most requests name it: they are decided without taking the name apart. */
  readonly #usualHost: string;
  #domains: ReadonlySet<string> = new Set();
  #reading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor({ publicUrl, corsOrigins }: Pick<Config, 'publicUrl' | 'corsOrigins'>, platform: PlatformDb) {
    this.#platform = platform;
    this.#usualHost = URL.canParse(publicUrl) ? new URL(publicUrl).host : '';
    const origins = [publicUrl, ...corsOrigins].filter((origin) => URL.canParse(origin));
    this.#ownHosts = new Set(origins.map((origin) => nameIn(new URL(origin).host)));
  }

  /** Returns true for a host of the service itself, which no tenant can have. */
  isOwn(domain: string): boolean {
    return this.#ownHosts.has(domain);
  }

  /** Returns the domain that a request was sent to, by its `Host` header; null: no domain of a portal. */
  domainOf(host: string | undefined): string | null {
    if (this.#domains.size === 0 || host === undefined || host === this.#usualHost) return null;
    const name = nameIn(host);
    return this.#domains.has(name) ? name : null;
  }

  /** Returns true if a tenant has proved the domain; this node serves it from now on. */
  async isProved(domain: string): Promise<boolean> {
    if ((await listProvedDomains(this.#platform.query, domain)).length === 0) return false;
    if (!this.#domains.has(domain)) await this.reload();
    return true;
  }

  /** Reads the domains, after the readings that have begun: what this one finds stays. */
  reload(): Promise<void> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    const domains = await listProvedDomains(this.#platform.query);
    // The operator may have given the service a name that a tenant had.
    this.#domains = new Set(domains.filter((domain) => !this.isOwn(domain)));
  }

  /** Reads the domains again from time to time. */
  watch(): void {
    // While the database is unavailable, the known domains stay, and other work reports the outage.
    this.#timer = setInterval(() => this.reload().catch(() => undefined), reloadEveryMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
