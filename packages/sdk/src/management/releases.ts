import type {
  CreateRelease,
  Release,
  ReleaseDownloadFilters,
  ReleaseDownloads,
  ReleaseFilters,
  UpdateRelease,
  YankRelease,
} from '../api-types.ts';
import type { Deleted } from '../client.ts';
import type { CallOptions, CreateOptions } from '../request.ts';
import type { Endpoint, List } from './resource.ts';

/** The releases of products. `productId` is the id of a product. */
export class Releases {
  readonly #endpoint: Endpoint;

  /** @internal */
  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Returns the releases of a product, newest version first. */
  list(productId: string, filters?: ReleaseFilters, call?: CallOptions): List<Release> {
    return this.#endpoint.list([productId, 'releases'], filters, call);
  }

  /** Returns a release. */
  get(productId: string, id: string, call?: CallOptions): Promise<Release> {
    return this.#endpoint.read([productId, 'releases', id], undefined, call);
  }

  /** Creates a draft. */
  create(productId: string, fields: CreateRelease, call?: CreateOptions): Promise<Release> {
    return this.#endpoint.once([productId, 'releases'], call, fields);
  }

  /** Changes the given fields of a draft. */
  update(productId: string, id: string, changes: UpdateRelease, call?: CallOptions): Promise<Release> {
    return this.#endpoint.send('PUT', [productId, 'releases', id], call, changes);
  }

  /** Deletes a draft. */
  delete(productId: string, id: string, call?: CallOptions): Promise<Deleted> {
    return this.#endpoint.send('DELETE', [productId, 'releases', id], call);
  }

  /** Offers a draft to the holders of licenses that permit it. It can only be withdrawn then. */
  publish(productId: string, id: string, call?: CallOptions): Promise<Release> {
    return this.#endpoint.act([productId, 'releases', id, 'publish'], call, { actsAgain: false });
  }

  /** Withdraws a published release: nobody is offered it any more. */
  yank(productId: string, id: string, body: YankRelease, call?: CallOptions): Promise<Release> {
    return this.#endpoint.act([productId, 'releases', id, 'yank'], call, { body, actsAgain: false });
  }

  /** Returns the downloads of a release, by day. */
  downloads(
    productId: string,
    id: string,
    filters?: ReleaseDownloadFilters,
    call?: CallOptions,
  ): Promise<ReleaseDownloads[]> {
    return this.#endpoint.read([productId, 'releases', id, 'downloads'], filters, call);
  }
}
