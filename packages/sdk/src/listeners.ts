/** Calls the listeners of named events. A listener that throws stops neither the caller nor the other listeners. */
export class Listeners<Events extends object> {
  readonly #byEvent = new Map<keyof Events, Set<(value: never) => void>>();

  /** Adds a listener, and returns the function that removes it. */
  on<Name extends keyof Events>(event: Name, listener: (value: Events[Name]) => void): () => void {
    const listeners = this.#byEvent.get(event) ?? new Set();
    this.#byEvent.set(event, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Calls every listener of the event in the order of their addition. */
  emit<Name extends keyof Events>(event: Name, value: Events[Name]): void {
    for (const listener of [...(this.#byEvent.get(event) ?? [])]) {
      try {
        // An async listener may reject later.
        Promise.resolve((listener as (value: Events[Name]) => unknown)(value)).catch(ignore);
      } catch {
        // The application's own error: it must not change what the guard or the recorder does.
      }
    }
  }
}

function ignore(): void {}
