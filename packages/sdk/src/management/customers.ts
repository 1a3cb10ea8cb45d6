import type {
  CreateCustomerNote,
  Customer,
  CustomerDetails,
  CustomerExport,
  CustomerFilters,
  CustomerNote,
  CustomerNoteFilters,
  HolderMail,
  HolderMailFilters,
  SendHolderMail,
  UpdateCustomer,
} from '../api-types.ts';
import type { Deleted } from '../client.ts';
import type { CallOptions, CreateOptions } from '../request.ts';
import { type List, ListedResource, ReadableResource } from './resource.ts';

/** The people who hold licenses, by their email address. */
export class Customers extends ListedResource<Customer, CustomerFilters> {
  /** Returns a customer with the newest licenses, devices and mails. */
  get(email: string, call?: CallOptions): Promise<CustomerDetails> {
    return this.endpoint.read([email], undefined, call);
  }

  /** Changes the name or the address in every license of a customer. */
  update(email: string, changes: UpdateCustomer, call?: CallOptions): Promise<CustomerDetails> {
    return this.endpoint.send('PUT', [email], call, changes);
  }

  /** Erases the personal data of a customer. The licenses stay, without a holder. */
  erase(email: string, call?: CallOptions): Promise<Deleted> {
    return this.endpoint.send('DELETE', [email], call);
  }

  /** Returns everything that is stored about a customer. */
  export(email: string, call?: CallOptions): Promise<CustomerExport> {
    return this.endpoint.read([email, 'export'], undefined, call);
  }

  /** Returns the notes about a customer, newest first. */
  listNotes(email: string, filters?: CustomerNoteFilters, call?: CallOptions): List<CustomerNote> {
    return this.endpoint.list([email, 'notes'], filters, call);
  }

  /** Adds a note for the people of the tenant. */
  createNote(email: string, fields: CreateCustomerNote, call?: CreateOptions): Promise<CustomerNote> {
    return this.endpoint.once([email, 'notes'], call, fields);
  }

  /** Deletes a note. */
  deleteNote(email: string, noteId: string, call?: CallOptions): Promise<Deleted> {
    return this.endpoint.send('DELETE', [email, 'notes', noteId], call);
  }
}

/** The mails to the holders of licenses. */
export class Mails extends ReadableResource<HolderMail, HolderMailFilters> {
  /** Sends the holder of a license the mail with its key. */
  send(fields: SendHolderMail, call?: CreateOptions): Promise<HolderMail> {
    return this.endpoint.once([], call, fields);
  }

  /** Sends a mail again, as a new one. */
  resend(id: string, call?: CreateOptions): Promise<HolderMail> {
    return this.endpoint.once([id, 'resend'], call);
  }
}
