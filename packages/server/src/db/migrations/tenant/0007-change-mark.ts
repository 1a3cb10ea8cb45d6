/** Does nothing. It once created what `0019-no-change-marks` removes from older databases. */
export function up(): Promise<void> {
  return Promise.resolve();
}
