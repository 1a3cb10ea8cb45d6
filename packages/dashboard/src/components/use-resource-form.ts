import { type FormErrors, type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { newIdempotencyKey } from '../api/client.ts';
import { fieldSentence, type Problem, type ProblemDetail, toProblem } from '../api/problem.ts';
import { FormFrameContext } from './form-frame.ts';
import { useUnsavedInput } from './unsaved-input.ts';

type Submit = (event?: React.FormEvent<HTMLFormElement>, announcement?: string) => void;

interface ResourceFormOptions<Values extends Record<string, unknown>, Result> {
  readonly initialValues: Values;
  readonly validate?: UseFormInput<Values>['validate'];
  /** Sends the values. `idempotencyKey` stays the same for every attempt with the same values. */
  readonly submit: (values: Values, idempotencyKey: string) => Promise<Result>;
  /** Query-key prefixes to invalidate after a successful submission. */
  readonly invalidates?: readonly (readonly unknown[])[];
  /** Runs after a successful submission, with fresh data. Without it, the drawer or the dialog around the form closes. */
  readonly onSaved?: (result: Result) => unknown;
  /** Maps a field of the API to a field of the form, where their names differ. */
  readonly fieldNames?: Readonly<Record<string, string>>;
  /** The field whose value a problem without details refuses, by the problem's code. */
  readonly fieldsOfCodes?: Readonly<Record<string, string>>;
}

/** A form whose submission goes to the API. */
export interface ResourceForm<Values extends Record<string, unknown>> {
  readonly form: UseFormReturnType<Values>;
  /** The problem that belongs to no field. */
  readonly problem: Problem | null;
  readonly isSaving: boolean;
  /** Whether leaving the form would lose input. */
  readonly isUnsaved: boolean;
  /** Submits the form. After a success, the page says `announcement`. */
  readonly onSubmit: Submit;
}

/** Returns whether the form has a field with the first segment of a path such as `policy.max_activations`. */
function hasField(values: Record<string, unknown>, path: string): boolean {
  return (path.split('.', 1)[0] ?? '') in values;
}

/** Returns the details of a problem. Its code may refuse the value of one field. */
function detailsOf({ code, message, details }: Problem, fieldsOfCodes: Record<string, string>): ProblemDetail[] {
  const refused = fieldsOfCodes[code];
  return refused === undefined ? [...details] : [{ field: refused, message }, ...details];
}

/** Assigns the details of a problem to the fields of a form by path; returns the others apart. */
function assign(values: Record<string, unknown>, details: readonly ProblemDetail[], names: Record<string, string>) {
  const errors: FormErrors = {};
  const others: ProblemDetail[] = [];
  for (const detail of details) {
    const field = names[detail.field] ?? detail.field;
    if (hasField(values, field)) errors[field] ??= fieldSentence(detail);
    else others.push(detail);
  }
  return { errors, others };
}

function announce(message: string | undefined): void {
  if (message !== undefined) notifications.show({ message, role: 'status' });
}

function focusFirstError(): void {
  // The attribute appears when the errors have been rendered.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus());
}

/**
 * Returns a form for a resource: the service's `details` appear at their fields, a failed request keeps the input, and a
 * repeated submission of the same values sends the same `Idempotency-Key`, so that it creates nothing twice.
 */
export function useResourceForm<Values extends Record<string, unknown>, Result>(
  options: ResourceFormOptions<Values, Result>,
): ResourceForm<Values> {
  const frame = useContext(FormFrameContext);
  const { initialValues, validate, submit, invalidates = [], onSaved = frame?.close } = options;
  const { fieldNames = {}, fieldsOfCodes = {} } = options;
  const client = useQueryClient();
  const form = useForm<Values>({ initialValues, ...(validate && { validate }), validateInputOnBlur: false });
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const running = useRef(false);
  const attempt = useRef({ values: '', key: '' });
  const send = async (values: Values, announcement?: string) => {
    // State changes arrive too late to stop a second press of the button.
    if (running.current) return;
    running.current = true;
    setSaving(true);
    setProblem(null);
    const text = JSON.stringify(values);
    if (attempt.current.values !== text) attempt.current = { values: text, key: newIdempotencyKey() };
    try {
      const result = await submit(values, attempt.current.key);
      attempt.current = { values: '', key: '' };
      // Rendered at once: `onSaved` may open another page, and the warning about unsaved input must be gone by then.
      flushSync(() => {
        setSaved(true);
        form.resetDirty(values);
      });
      await Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })));
      await onSaved?.(result);
      announce(announcement);
    } catch (error) {
      const failure = toProblem(error);
      const { errors, others } = assign(values, detailsOf(failure, fieldsOfCodes), fieldNames);
      form.setErrors(errors);
      if (Object.keys(errors).length > 0) focusFirstError();
      if (Object.keys(errors).length === 0 || others.length > 0) setProblem(failure);
    } finally {
      running.current = false;
      setSaving(false);
    }
  };
  const isUnsaved = !isSaved && form.isDirty();
  useUnsavedInput(isUnsaved);
  const onUnsaved = frame?.onUnsaved;
  useEffect(() => {
    onUnsaved?.(isUnsaved);
    return () => onUnsaved?.(false);
  }, [isUnsaved, onUnsaved]);
  return {
    form,
    problem,
    isSaving,
    isUnsaved,
    onSubmit: (event, announcement) =>
      form.onSubmit((values) => void send(values, announcement), focusFirstError)(event),
  };
}
