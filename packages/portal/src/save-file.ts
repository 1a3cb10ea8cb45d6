/** Saves a text as a file of the person, as a download does. */
export function saveFile(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
