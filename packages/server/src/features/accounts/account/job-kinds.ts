/** Writes the file of an export, and removes it after it has expired. The job's subject is the export's id. */
export const exportJobKind = 'account-export';

/** Erases a user at the scheduled time. The job's subject is the user's id. */
export const deletionJobKind = 'account-deletion';
