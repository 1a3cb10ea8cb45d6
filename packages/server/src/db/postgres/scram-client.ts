import pg from 'pg';
import { proveScram } from './scram.ts';

/** What `pg` keeps of an authentication by SCRAM. It compares `serverSignature` with the server's final message. */
interface ScramSession {
  readonly mechanism: string;
  readonly clientNonce: string;
  message: string;
  response: string;
  serverSignature?: string;
}

/** The part of `pg.Client` that authenticates. Its types do not declare it; the version of `pg` is exact. */
interface Authentication {
  readonly saslSession: ScramSession;
  readonly connection: { sendSCRAMClientFinalMessage(message: string): void };
  _handleAuthSASLContinue(message: { readonly data: string }): Promise<void>;
}

type AuthenticatingClient = Omit<pg.Client, 'connection'> & Authentication;
const BaseClient = pg.Client as unknown as new (config: pg.ClientConfig) => AuthenticatingClient;

/** Characters that SASLprep leaves as they are. */
const asciiPattern = /^[ -~]+$/;

/**
 * A client that computes its SCRAM proof in place. `pg` uses ten operations of Web Crypto for it, each of which waits
 * for another thread: 1.1 ms of CPU time per connection instead of 0.05.
 */
class ScramClient extends BaseClient {
  override async _handleAuthSASLContinue(message: { readonly data: string }): Promise<void> {
    const { saslSession: session, password = '' } = this;
    const isPossible = session.mechanism === 'SCRAM-SHA-256' && asciiPattern.test(password);
    const clientFirst = `n=*,r=${session.clientNonce}`;
    const proof = isPossible ? proveScram({ password, clientFirst, serverFirst: message.data }) : undefined;
    if (proof === undefined) return await super._handleAuthSASLContinue(message);
    session.message = 'SASLResponse';
    session.serverSignature = proof.serverSignature;
    session.response = proof.clientFinal;
    this.connection.sendSCRAMClientFinalMessage(proof.clientFinal);
  }
}

/** Creates a client that authenticates with little CPU time. */
export function createClient(config: pg.ClientConfig): pg.Client {
  return new ScramClient(config) as unknown as pg.Client;
}
