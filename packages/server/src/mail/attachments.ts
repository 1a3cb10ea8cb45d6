/** A document that a mail carries. It is stored as a reference and rendered when the mail is sent. */
export interface MailAttachment {
  readonly document: 'invoice' | 'credit_note';
  readonly id: string;
}

/** A file of a mail. */
export interface AttachedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Renders an attachment; undefined when its document no longer exists. */
export type RenderAttachment = (attachment: MailAttachment) => Promise<AttachedFile | undefined>;
