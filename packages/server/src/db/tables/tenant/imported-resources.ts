/**
 * A resource that was imported from another licensing service. The row stays when the resource is deleted, so that a
 * later import does not create it again.
 */
export interface ImportedResourcesTable {
  kind: 'products' | 'entitlements' | 'policies' | 'licenses' | 'machines';
  /** The id of the resource in the other service. */
  source_id: string;
  /** The account in the other service: `keygen:<account id>`. */
  source: string;
  /** The id of our resource. */
  target_id: string;
  /** The digest of the fields that the last import wrote. */
  digest: string;
}
