/** Makes the file of an export and removes it when it has expired; about an export. */
export const exportJobKind = 'account-export';

/** Erases a user when the time has come; about a user. */
export const deletionJobKind = 'account-deletion';
