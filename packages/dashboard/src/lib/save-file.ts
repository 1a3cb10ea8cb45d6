/** Saves data as a file of the person, as a download does. */
export function saveFile(data: Blob, name: string): void {
  const url = URL.createObjectURL(data);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
