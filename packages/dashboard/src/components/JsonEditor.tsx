import { JsonInput, type JsonInputProps } from '@mantine/core';

/** A field for JSON. It formats the text when the focus leaves it, and says when the text is not JSON. */
export function JsonEditor(props: JsonInputProps) {
  return (
    <JsonInput
      autosize
      minRows={4}
      maxRows={24}
      formatOnBlur
      validationError="This is not valid JSON."
      spellCheck={false}
      styles={{
        input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 'var(--mantine-font-size-sm)' },
      }}
      {...props}
    />
  );
}

/** Returns the object that a JSON field contains; an empty field is an empty object. Throws a `SyntaxError`. */
export function parseJsonField(text: string): Record<string, unknown> {
  return text.trim() === '' ? {} : JSON.parse(text);
}
