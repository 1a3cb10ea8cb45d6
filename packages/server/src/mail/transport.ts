/** A mail as a feature writes it. Always in both forms: some readers show only text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail on its way out. */
export interface OutgoingMail extends Mail {
  /** The same on every attempt, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly from: string;
  readonly date: Date;
}

/** Hands a mail over for delivery; throws when that failed and should be tried again. */
export interface MailTransport {
  send(mail: OutgoingMail): Promise<void>;
}
