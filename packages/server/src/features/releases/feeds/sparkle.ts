import { type AddressOf, type FeedRelease, publishedAt } from './feed.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** XML has no way to write most control characters. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function xml(text: string): string {
  return text.replace(notInXml, '').replace(/[&<>"]/g, (character) => entities[character] ?? '');
}

/** Returns the appcast that Sparkle reads (https://sparkle-project.org/documentation/publishing/), with its signed file first. */
export function sparkleFeed({ release, files }: FeedRelease, notesHtml: string, addressOf: AddressOf): string {
  const file = files.find(({ signature }) => signature !== null) ?? files[0];
  const version = xml(release.version);
  const signature = file?.signature == null ? '' : ` sparkle:edSignature="${xml(file.signature.trim())}"`;
  const enclosure =
    file === undefined
      ? ''
      : `<enclosure url="${xml(addressOf(file))}" length="${file.size}" type="application/octet-stream"${signature}/>`;
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle">
  <channel>
    <title>${version}</title>
    <item>
      <title>${version}</title>
      <pubDate>${new Date(publishedAt(release)).toUTCString()}</pubDate>
      <sparkle:version>${version}</sparkle:version>
      <sparkle:shortVersionString>${version}</sparkle:shortVersionString>
      <description>${xml(notesHtml)}</description>
      ${enclosure}
    </item>
  </channel>
</rss>
`;
}
