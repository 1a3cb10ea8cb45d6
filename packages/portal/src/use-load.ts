import { useCallback, useEffect, useRef, useState } from 'react';
import { type Problem, toProblem } from './problem.ts';

type State<Value> =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly problem: Problem }
  | { readonly is: 'ready'; readonly value: Value };

/** What is known of a value that the service has, and how to load it again. */
export type Loaded<Value> = State<Value> & {
  /** Loads the value again and shows that it does. */
  readonly retry: () => void;
  /** Loads the value again and shows the present one until then. */
  readonly refresh: () => Promise<void>;
  readonly change: (changed: (value: Value) => Value) => void;
};

/** Loads a value when `load` changes; give it a function of `useCallback`. */
export function useLoad<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<State<Value>>({ is: 'loading' });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads the same value again.
  useEffect(() => {
    let isCurrent = true;
    const show = (next: State<Value>) => isCurrent && setState(next);
    setState({ is: 'loading' });
    load().then(
      (value) => show({ is: 'ready', value }),
      (error: unknown) => show({ is: 'failed', problem: toProblem(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [load, attempt]);
  const retry = useCallback(() => setAttempt((number) => number + 1), []);
  const refresh = useCallback(async () => {
    const value = await load();
    setState({ is: 'ready', value });
  }, [load]);
  const change = useCallback((changed: (value: Value) => Value) => {
    setState((present) => (present.is === 'ready' ? { is: 'ready', value: changed(present.value) } : present));
  }, []);
  return { ...state, retry, refresh, change };
}

/** A request that the person starts with a button. */
export interface Action<Input extends readonly unknown[]> {
  readonly isRunning: boolean;
  readonly problem: Problem | null;
  /** Does nothing while it runs. */
  readonly run: (...input: Input) => Promise<void>;
  readonly clear: () => void;
}

/** Runs a request once at a time, and keeps its problem for the screen. */
export function useAction<Input extends readonly unknown[]>(
  perform: (...input: Input) => Promise<void>,
): Action<Input> {
  const [isRunning, setRunning] = useState(false);
  // Two clicks can come before the first one is drawn.
  const running = useRef(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  async function run(...input: Input): Promise<void> {
    if (running.current) return;
    running.current = true;
    setRunning(true);
    setProblem(null);
    try {
      await perform(...input);
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      running.current = false;
      setRunning(false);
    }
  }
  return { isRunning, problem, run, clear: () => setProblem(null) };
}
