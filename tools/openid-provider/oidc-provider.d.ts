// The package has no types of its own. These are the parts that `provider.ts` uses.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly provider: Provider;
      readonly result?: { readonly consent?: { readonly grantId?: string } };
      readonly session: { readonly accountId: string; grantIdFor(clientId: string): string | undefined };
    };
  }

  interface Account {
    readonly accountId: string;
    claims(): Promise<{ readonly sub: string } & Readonly<Record<string, unknown>>>;
  }

  interface Configuration {
    readonly [name: string]: unknown;
    readonly findAccount: (context: Context, id: string) => Account | undefined;
    readonly loadExistingGrant: (context: Context) => Promise<Grant>;
    readonly interactions: { readonly url: (context: Context, interaction: { readonly uid: string }) => string };
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: {
      new (of: { readonly clientId: string; readonly accountId: string }): Grant;
      find(id: string): Promise<Grant>;
    };
    callback(): RequestListener;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<object>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { readonly error: string } | { readonly login: { readonly accountId: string } },
    ): Promise<void>;
  }
  export type { Context, Grant };
}
