// Preloaded into a process: when it ends, writes what it loaded and which locale functions it used to the file that the
// variable STARTED names.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** What a process did from its start to its end. */
export interface RecordedStart {
  /** The URLs of the loaded modules. */
  readonly modules: readonly string[];
  /** The functions that read Node's data of languages, countries, currencies and time zones. */
  readonly localeFunctions: readonly string[];
}

const modules: string[] = [];
const localeFunctions = new Set<string>();

registerHooks({
  load(url, context, next) {
    modules.push(url);
    return next(url, context);
  },
});

function watch(owner: object, name: string): void {
  const watched: unknown = Reflect.get(owner, name);
  if (typeof watched !== 'function') return;
  const note = () => localeFunctions.add(name);
  const replacement = new Proxy(watched, {
    apply(target, self, values) {
      note();
      return Reflect.apply(target, self, values);
    },
    construct(target, values, newTarget) {
      note();
      return Reflect.construct(target, values, newTarget);
    },
  });
  Reflect.set(owner, name, replacement);
}

for (const name of Object.getOwnPropertyNames(Intl)) watch(Intl, name);
for (const prototype of [String.prototype, Number.prototype, BigInt.prototype, Date.prototype]) {
  const names = Object.getOwnPropertyNames(prototype);
  for (const name of names.filter((one) => /locale/i.test(one))) watch(prototype, name);
}

process.on('exit', () => {
  const { STARTED: file } = process.env;
  const started: RecordedStart = { modules, localeFunctions: [...localeFunctions] };
  if (file !== undefined) writeFileSync(file, JSON.stringify(started));
});
