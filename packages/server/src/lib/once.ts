/**
 * Returns a function that calls `make` at its first call and then always returns that result. For values that take much
 * time or memory and that few processes need: Node's data of languages, countries and currencies take 8 MiB.
 */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
