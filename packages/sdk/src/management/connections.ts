import type {
  Comparison,
  ComparisonDifference,
  ComparisonFilters,
  Connection,
  ConnectionFilters,
  ConnectionWithSecret,
  CreateConnection,
  CreateOffer,
  DifferenceFilters,
  Offer,
  OfferFilters,
  Sale,
  SaleEvent,
  SaleEventFilters,
  SaleFilters,
  SendTestSale,
  ShopCatalog,
  TestSale,
  UpdateConnection,
  UpdateOffer,
} from '../api-types.ts';
import type { Deleted } from '../client.ts';
import type { CallOptions, CreateOptions } from '../request.ts';
import { EditableResource, type List } from './resource.ts';

/** The shops whose sales create licenses. `id` is the id of a connection. */
export class Connections extends EditableResource<
  Connection,
  ConnectionFilters,
  CreateConnection,
  UpdateConnection,
  ConnectionWithSecret
> {
  /** Returns what the shop sells. */
  catalog(id: string, call?: CallOptions): Promise<ShopCatalog> {
    return this.endpoint.read([id, 'catalog'], undefined, call);
  }

  /** Returns the offers: which policy a product of the shop means. */
  listOffers(id: string, filters?: OfferFilters, call?: CallOptions): List<Offer> {
    return this.endpoint.list([id, 'offers'], filters, call);
  }

  /** Creates an offer. */
  createOffer(id: string, fields: CreateOffer, call?: CreateOptions): Promise<Offer> {
    return this.endpoint.once([id, 'offers'], call, fields);
  }

  /** Changes the given fields of an offer. */
  updateOffer(id: string, offerId: string, changes: UpdateOffer, call?: CallOptions): Promise<Offer> {
    return this.endpoint.send('PUT', [id, 'offers', offerId], call, changes);
  }

  /** Deletes an offer. The licenses of its sales stay. */
  deleteOffer(id: string, offerId: string, call?: CallOptions): Promise<Deleted> {
    return this.endpoint.send('DELETE', [id, 'offers', offerId], call);
  }

  /** Returns the messages of the shop, newest first. */
  listEvents(id: string, filters?: SaleEventFilters, call?: CallOptions): List<SaleEvent> {
    return this.endpoint.list([id, 'events'], filters, call);
  }

  /** Returns a message of the shop. */
  getEvent(id: string, eventId: string, call?: CallOptions): Promise<SaleEvent> {
    return this.endpoint.read([id, 'events', eventId], undefined, call);
  }

  /** Carries out a message that failed again. */
  retryEvent(id: string, eventId: string, call?: CallOptions): Promise<SaleEvent> {
    return this.endpoint.act([id, 'events', eventId, 'retry'], call);
  }

  /** Returns the sales of the shop, newest first. */
  listSales(id: string, filters?: SaleFilters, call?: CallOptions): List<Sale> {
    return this.endpoint.list([id, 'sales'], filters, call);
  }

  /** Returns a sale. */
  getSale(id: string, saleId: string, call?: CallOptions): Promise<Sale> {
    return this.endpoint.read([id, 'sales', saleId], undefined, call);
  }

  /** Carries out a sale as the shop shows it now, with the offers as they are now. */
  applySale(id: string, saleId: string, call?: CallOptions): Promise<Sale> {
    return this.endpoint.act([id, 'sales', saleId, 'apply'], call);
  }

  /** Tries the connection with an invented sale. */
  sendTestSale(id: string, fields: SendTestSale = {}, call?: CreateOptions): Promise<TestSale> {
    return this.endpoint.once([id, 'test-sale'], call, fields);
  }

  /** Returns the comparisons of the shop with the licenses, newest first. */
  listComparisons(id: string, filters?: ComparisonFilters, call?: CallOptions): List<Comparison> {
    return this.endpoint.list([id, 'comparisons'], filters, call);
  }

  /** Begins to compare the shop with the licenses. */
  createComparison(id: string, call?: CreateOptions): Promise<Comparison> {
    return this.endpoint.once([id, 'comparisons'], call);
  }

  /** Returns a comparison and its progress. */
  getComparison(id: string, comparisonId: string, call?: CallOptions): Promise<Comparison> {
    return this.endpoint.read([id, 'comparisons', comparisonId], undefined, call);
  }

  /** Begins to carry out everything that a comparison found. */
  applyComparison(id: string, comparisonId: string, call?: CallOptions): Promise<Comparison> {
    return this.endpoint.act([id, 'comparisons', comparisonId, 'apply'], call);
  }

  /** Ends a comparison, or stops it while it carries out what it found. */
  cancelComparison(id: string, comparisonId: string, call?: CallOptions): Promise<Comparison> {
    return this.endpoint.act([id, 'comparisons', comparisonId, 'cancel'], call, { actsAgain: false });
  }

  /** Returns what a comparison found. */
  listDifferences(
    id: string,
    comparisonId: string,
    filters?: DifferenceFilters,
    call?: CallOptions,
  ): List<ComparisonDifference> {
    return this.endpoint.list([id, 'comparisons', comparisonId, 'differences'], filters, call);
  }

  /** Carries out one of the differences that a comparison found. */
  applyDifference(
    id: string,
    comparisonId: string,
    differenceId: string,
    call?: CallOptions,
  ): Promise<ComparisonDifference> {
    return this.endpoint.act([id, 'comparisons', comparisonId, 'differences', differenceId, 'apply'], call);
  }
}
