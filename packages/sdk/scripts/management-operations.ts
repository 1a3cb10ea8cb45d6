/** The operation of a method, where more than its name decides what the method sends and returns. */
export interface ManagementOperation {
  readonly operation: string;
  /** The status whose response the method returns, if the operation has several. */
  readonly status?: string;
  /** What the method sends in the body beside the fields of the caller. */
  readonly body?: Readonly<Record<string, boolean>>;
  /** What the method sends in the query beside the filters of the caller. */
  readonly query?: Readonly<Record<string, boolean>>;
}

/**
 * The methods of `ManagementClient` in every language: per resource, the operation of each method. The Python client is
 * generated from it, the reference writes its samples with it, and a test compares the TypeScript client with it.
 */
export const managementOperations: Readonly<Record<string, Readonly<Record<string, string | ManagementOperation>>>> = {
  products: {
    ...{ list: 'listProducts', get: 'getProduct', create: 'createProduct', update: 'updateProduct' },
    ...{ delete: 'deleteProduct', archive: 'archiveProduct', unarchive: 'unarchiveProduct', allowTrial: 'allowTrial' },
  },
  policies: {
    ...{ list: 'listPolicies', get: 'getPolicy', create: 'createPolicy', update: 'updatePolicy' },
    ...{ delete: 'deletePolicy', archive: 'archivePolicy', unarchive: 'unarchivePolicy' },
  },
  releases: {
    ...{ list: 'listReleases', get: 'getRelease', create: 'createRelease', update: 'updateRelease' },
    ...{ delete: 'deleteRelease', publish: 'publishRelease', yank: 'yankRelease', downloads: 'listReleaseDownloads' },
  },
  licenses: {
    ...{ list: 'listLicenses', get: 'getLicense', create: 'createLicense', update: 'updateLicense' },
    ...{ delete: 'deleteLicense', suspend: 'suspendLicense', reinstate: 'reinstateLicense', revoke: 'revokeLicense' },
    ...{ renew: 'renewLicense', rotateKey: 'rotateLicenseKey', convert: 'convertLicense', validate: 'tryLicense' },
    ...{ activate: 'activateDevice', checks: 'listLicenseChecks', checkEntitlements: 'listLicenseEntitlements' },
    ...{ issueCertificate: 'issueLicenseCertificate', createPortalLink: 'createPortalLink', getSale: 'getLicenseSale' },
    import: { operation: 'importLicenses', status: '200', query: { background: false } },
    startImport: { operation: 'importLicenses', status: '202', query: { background: true } },
    ...{ getImport: 'getLicenseImport', cancelImport: 'cancelLicenseImport', export: 'exportLicenses' },
  },
  licenseBatches: {
    ...{ list: 'listLicenseBatches', get: 'getLicenseBatch', create: 'createLicenseBatch' },
    ...{ cancel: 'cancelLicenseBatch', exportKeys: 'exportBatchKeys' },
  },
  bulkOperations: {
    ...{ list: 'listBulkOperations', get: 'getBulkOperation' },
    create: { operation: 'createBulkOperation', status: '202', body: { dry_run: false } },
    preview: { operation: 'createBulkOperation', status: '200', body: { dry_run: true } },
    ...{ cancel: 'cancelBulkOperation', undo: 'undoBulkOperation', exportChanges: 'exportBulkChanges' },
  },
  activations: { list: 'listActivations', get: 'getActivation', delete: 'releaseActivation' },
  customers: {
    ...{ list: 'listCustomers', get: 'getCustomer', update: 'updateCustomer', erase: 'eraseCustomer' },
    ...{ export: 'exportCustomer', listNotes: 'listCustomerNotes', createNote: 'createCustomerNote' },
    deleteNote: 'deleteCustomerNote',
  },
  entitlements: {
    ...{ list: 'listEntitlements', get: 'getEntitlement', create: 'createEntitlement', update: 'updateEntitlement' },
    delete: 'deleteEntitlement',
  },
  usage: { list: 'listUsage', series: 'getUsageSeries' },
  mails: { list: 'listHolderMails', get: 'getHolderMail', send: 'sendHolderMail', resend: 'resendHolderMail' },
  apiKeys: {
    ...{ list: 'listApiKeys', get: 'getApiKey', create: 'createApiKey', update: 'updateApiKey' },
    ...{ delete: 'revokeApiKey', rotate: 'rotateApiKey' },
  },
  settings: { get: 'getSettings', update: 'updateSettings' },
  webhooks: {
    ...{ list: 'listWebhooks', get: 'getWebhook', create: 'createWebhook', update: 'updateWebhook' },
    ...{ delete: 'deleteWebhook', test: 'testWebhook', rotateSecret: 'rotateWebhookSecret', recover: 'recoverWebhook' },
  },
  webhookDeliveries: { list: 'listWebhookDeliveries', get: 'getWebhookDelivery', resend: 'resendWebhookDelivery' },
  notifications: {
    ...{ list: 'listNotifications', create: 'createNotification', countUnread: 'countUnreadNotifications' },
    ...{ markRead: 'markNotificationRead', markAllRead: 'markAllNotificationsRead' },
  },
  auditLogs: { list: 'listAuditLogs', export: 'exportAuditLogs' },
  connections: {
    ...{ list: 'listConnections', get: 'getConnection', create: 'createConnection', update: 'updateConnection' },
    ...{ delete: 'deleteConnection', catalog: 'listShopOffers', sendTestSale: 'sendTestSale' },
    ...{ listOffers: 'listOffers', createOffer: 'createOffer', updateOffer: 'updateOffer', deleteOffer: 'deleteOffer' },
    ...{ listEvents: 'listSaleEvents', getEvent: 'getSaleEvent', retryEvent: 'retrySaleEvent' },
    ...{ listSales: 'listSales', getSale: 'getSale', applySale: 'applySale' },
    ...{ listComparisons: 'listComparisons', createComparison: 'createComparison', getComparison: 'getComparison' },
    ...{ applyComparison: 'applyComparison', cancelComparison: 'cancelComparison' },
    ...{ listDifferences: 'listDifferences', applyDifference: 'applyDifference' },
  },
};

/** Operations without an idempotency key of which a repetition does nothing more than the first time. */
export const repeatableOperations: ReadonlySet<string> = new Set([
  ...['archiveProduct', 'unarchiveProduct', 'allowTrial', 'archivePolicy', 'unarchivePolicy', 'suspendLicense'],
  ...['publishRelease', 'yankRelease', 'reinstateLicense'],
  ...['revokeLicense', 'tryLicense', 'issueLicenseCertificate', 'createPortalLink', 'cancelBulkOperation'],
  'cancelLicenseImport',
  ...['markNotificationRead', 'markAllNotificationsRead'],
]);

/** Parts of the tenant API, by the first segment of their path, of which `ManagementClient` has no method. */
export const withoutManagement: Readonly<Record<string, string>> = {
  'access-tokens': 'only people may use it',
  members: 'only people may use it',
  close: 'only people may use it',
  'demo-data': 'only people may use it',
  'test-tenant': 'only people may use it',
  'policies/{id}/copy-to-live': 'only people may use it',
  overview: 'the figures of one page of the dashboard',
  'dev-tools': 'a view of the dashboard',
  brand: 'set up once, in the dashboard',
  portal: 'set up once, in the dashboard',
  'mail-settings': 'set up once, in the dashboard',
  'mail-templates': 'set up once, in the dashboard',
};
