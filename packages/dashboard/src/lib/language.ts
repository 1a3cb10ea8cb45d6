/** The language of every text of the dashboard: the reader's English, or British English for readers of other languages. */
export const language = navigator.languages.find((one) => /^en\b/i.test(one)) ?? 'en-GB';
