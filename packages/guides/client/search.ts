import type { SearchDocument } from '../src/search/search-documents.ts';
import { createFinder } from './search-index.ts';

/** The search of the site. */
export interface Search {
  open(): void;
}

const resultsMax = 12;

/** Returns the part of a text around the first match. */
function excerpt(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(...terms.map((term) => lower.indexOf(term)).filter((position) => position >= 0), text.length);
  const start = at === text.length ? 0 : Math.max(0, at - 50);
  return (start > 0 ? '…' : '') + text.slice(start, start + 150) + (start + 150 < text.length ? '…' : '');
}

/** Appends a text with its matches marked. */
function appendMarked(parent: HTMLElement, text: string, terms: readonly string[]): void {
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(${escaped.join('|') || '$^'})`, 'gi');
  for (const [position, part] of text.split(pattern).entries()) {
    if (position % 2 === 0) {
      parent.append(part);
      continue;
    }
    const mark = document.createElement('mark');
    mark.textContent = part;
    parent.append(mark);
  }
}

function resultElement(found: SearchDocument, terms: readonly string[], position: number): HTMLElement {
  const link = document.createElement('a');
  link.href = found.url;
  link.id = `search-result-${position}`;
  link.tabIndex = -1;
  const heading = document.createElement('strong');
  appendMarked(heading, found.heading, terms);
  const place = document.createElement('small');
  place.textContent = found.page === found.heading ? found.area : `${found.area} › ${found.page}`;
  const text = document.createElement('span');
  appendMarked(text, excerpt(found.text, terms), terms);
  link.append(heading, place, text);
  const item = document.createElement('li');
  item.setAttribute('role', 'option');
  item.id = `search-option-${position}`;
  item.append(link);
  return item;
}

/** Loads the index and fills the dialog. Throws if the index cannot be loaded. */
export async function openSearch(dialog: HTMLDialogElement, indexUrl: string): Promise<Search> {
  const response = await fetch(indexUrl);
  if (!response.ok) throw new Error(`${indexUrl} answered ${response.status}.`);
  const documents: SearchDocument[] = await response.json();
  const find = createFinder(documents);
  const input = document.createElement('input');
  Object.assign(input, {
    type: 'search',
    placeholder: 'Search guides and reference',
    autocomplete: 'off',
    spellcheck: false,
  });
  const attributes = {
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'search-results',
    'aria-label': 'Search',
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  const list = document.createElement('ul');
  list.id = 'search-results';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Results');
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  let selected = 0;

  const select = (position: number) => {
    const { length } = list.children;
    selected = length === 0 ? 0 : (position + length) % length;
    for (const [at, item] of [...list.children].entries()) item.setAttribute('aria-selected', String(at === selected));
    list.children[selected]?.scrollIntoView({ block: 'nearest' });
    if (length > 0) input.setAttribute('aria-activedescendant', `search-option-${selected}`);
    else input.removeAttribute('aria-activedescendant');
  };
  const update = () => {
    const query = input.value.trim();
    const found = query === '' ? [] : find(query).slice(0, resultsMax);
    const elements = found.map(({ document, terms }, position) => resultElement(document, terms, position));
    list.replaceChildren(...elements);
    list.hidden = elements.length === 0;
    status.textContent =
      query === ''
        ? 'Type a word, an error code or a field.'
        : elements.length === 0
          ? `Nothing matches “${query}”.`
          : '';
    status.hidden = elements.length > 0;
    select(0);
  };
  input.addEventListener('input', update);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      select(selected + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      list.children[selected]?.querySelector('a')?.click();
    }
  });
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  list.addEventListener('click', ({ target }) => {
    // A link to a section of this page leaves the page where it is.
    if (target instanceof Element && target.closest('a')) dialog.close();
  });
  dialog.replaceChildren(input, status, list);
  update();
  return {
    open() {
      if (dialog.open) return;
      dialog.showModal();
      input.select();
    },
  };
}
