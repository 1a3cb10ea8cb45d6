/** The parties of an invoice: JSON of the customer and of the seller, as an invoice that is finalized now keeps them. */
export interface InvoiceParties {
  readonly customerJson: string | null;
  readonly sellerJson: string | null;
  /** The tenant's name, and who gets mails about its invoices. */
  readonly tenantName: string;
  readonly recipients: readonly string[];
}
